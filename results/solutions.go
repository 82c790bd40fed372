package results

import "fmt"

// NamedSolution is one of a job's schedules with what it is called.
type NamedSolution struct {
	Name     string
	Solution *Solution
}

// Best is the name of a job's best schedule among its solutions.
const Best = "best"

// Solutions lists a job's schedules: best, the next best (top-2, top-3...), those
// of the Pareto front (pareto-1...), the hand-tuned ones by their names.
func (j *Job) Solutions() []NamedSolution {
	var list []NamedSolution
	if j.Best != nil {
		list = append(list, NamedSolution{Best, j.Best})
	}
	for i := range j.Alternatives {
		list = append(list, NamedSolution{fmt.Sprintf("top-%d", i+2), &j.Alternatives[i]})
	}
	for i := range j.Pareto {
		list = append(list, NamedSolution{fmt.Sprintf("pareto-%d", i+1), &j.Pareto[i]})
	}
	for i := range j.Baselines {
		if s := j.Baselines[i].Solution; s != nil {
			list = append(list, NamedSolution{j.Baselines[i].Name, s})
		}
	}
	return list
}
