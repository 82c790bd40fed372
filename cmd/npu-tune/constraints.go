package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/npu-tune/npu-tune/evaluator/analytic"
	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/results"
	"github.com/npu-tune/npu-tune/results/table"
	"github.com/npu-tune/npu-tune/search"
	"github.com/npu-tune/npu-tune/search/exhaustive"
	"github.com/npu-tune/npu-tune/space"
	"github.com/npu-tune/npu-tune/space/rules"
)

// restrict is a function that says what restricts a layer's pass.
type restrict = func(models.Layer, space.Pass) space.Constraints

// loadRules reads the file of --constraints; nil where there is none.
func loadRules(o *options) (*rules.Set, error) {
	if o.constraints == "" {
		return nil, nil
	}
	set, err := rules.Load(o.constraints)
	if err != nil {
		return nil, usagef("--constraints: %w", err)
	}
	return set, nil
}

// restrictions returns what a set of rules says of each pass; nil for no set.
func restrictions(set *rules.Set) restrict {
	if set == nil {
		return nil
	}
	return func(l models.Layer, pass space.Pass) space.Constraints {
		c, _ := rules.Combine(pass, set.For(l.Name, pass)) // clashes are reported before anything is tuned
		return c
	}
}

// rulePatience bounds the time that one question takes, whether rules leave any
// schedule. What is not answered by then counts as possible.
const rulePatience = 5 * time.Second

// checkRules reports problems of which rules leave no schedule, and which of
// the rules exclude each other.
func checkRules(ctx context.Context, set *rules.Set, problems []*space.Problem) error {
	if set == nil {
		return nil
	}
	var errs []error
	known := map[string]bool{}
	for _, p := range problems {
		list := set.For(p.Layer.Name, p.Pass)
		c, ok := rules.Combine(p.Pass, list)
		anonymous := p.Layer
		anonymous.Name, anonymous.Count, anonymous.Conv = "", 0, nil
		key := fmt.Sprintf("%+v %+v %s %v %+v", anonymous, p.Layer.Conv, p.Pass, ok, c)
		if known[key] {
			continue
		}
		known[key] = true
		if len(list) == 0 || possible(ctx, p, list) {
			continue
		}
		if len(errs) >= maxCauses { // the message only counts the others
			errs = append(errs, rules.ErrClash)
			continue
		}
		clash := rules.Clash(list, func(some []rules.Requirement) bool { return possible(ctx, p, some) })
		errs = append(errs, fmt.Errorf("%s: %w: %s %s: %s", set.File(), rules.ErrClash, cmp.Or(p.Layer.Name, "the layer's"), p.Pass, rules.Describe(clash)))
	}
	return usage(errors.Join(errs...))
}

// possible reports whether a schedule that fits satisfies requirements.
func possible(ctx context.Context, p *space.Problem, list []rules.Requirement) bool {
	c, ok := rules.Combine(p.Pass, list)
	if !ok {
		return false
	}
	if small := p.Smallest(); c.Allow(p, &small) == nil {
		f := p.Footprint(&small)
		return f.Over(c.ReservedSPMBytes) == 0
	}
	if _, err := space.NewSpace(p, c); err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, rulePatience)
	defer cancel()
	out, err := exhaustive.New().Search(ctx, &search.Request{
		Problem: p, Constraints: c, Objective: search.SPM, Evaluator: analytic.Evaluator{},
	})
	return err != nil || out.Best() != nil || !out.Proven
}

// modelRules reads the rules of a model's layers and reports those that leave
// some layer without schedules.
func modelRules(o *options, model models.Model, npu *hardware.NPU) (*rules.Set, error) {
	set, err := loadRules(o)
	if set == nil {
		return nil, err
	}
	if err := set.CheckLayers(model.Layers); err != nil {
		return nil, usagef("--constraints: %w", err)
	}
	var list []*space.Problem
	for _, p := range problemsOf(o, model, npu) {
		if p.Check() == nil && p.Room(0) == nil { // else the tuner says so
			list = append(list, p)
		}
	}
	return set, checkRules(context.Background(), set, list)
}

// solveRules reads the rules of bare problems.
func solveRules(ctx context.Context, o *options, family string, problems []space.Problem) (*rules.Set, error) {
	set, err := loadRules(o)
	if set == nil {
		return nil, err
	}
	if family != "" {
		return nil, usagef("--constraints and --family are both given, want one of them")
	}
	var list []*space.Problem
	for i := range problems {
		if problems[i].Room(0) == nil {
			list = append(list, &problems[i])
		}
	}
	return set, checkRules(ctx, set, list)
}

// problemsOf lists the passes of a model's layers that will be tuned.
func problemsOf(o *options, model models.Model, npu *hardware.NPU) []*space.Problem {
	var list []*space.Problem
	for _, l := range model.Layers {
		for _, pass := range o.passes.Of(l) {
			list = append(list, &space.Problem{Layer: l, HW: npu.Params(), Pass: pass})
		}
	}
	return list
}

// noteRules says how many hand-tuned schedules are shown although they break
// the rules.
func noteRules(w io.Writer, set *rules.Set, d *results.Document, f table.Format) error {
	if set == nil || f != table.Text {
		return nil
	}
	broken, all := 0, 0
	for i := range d.Jobs {
		for _, b := range d.Jobs[i].Baselines {
			if b.Solution != nil {
				all++
			}
			if b.Breaks != "" {
				broken++
			}
		}
	}
	_, err := fmt.Fprintf(w, "The best schedules satisfy %s. Hand-tuned ones are not held to it: %d of %d break it (\"breaks\" in the JSON says how).\n",
		set.File(), broken, all)
	return err
}
