package igo

import (
	"fmt"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/models"
	"github.com/npu-tune/npu-tune/models/zoo"
)

// The paper's NPUs, presets of package hardware.
const (
	Small = "small"
	Large = "large"
)

// Sweep says which part of the study a setting belongs to.
type Sweep string

// The parts.
const (
	Main           Sweep = "main"
	BandwidthSweep Sweep = "bandwidth"
	BatchSweep     Sweep = "batch"
)

// Setting is an NPU with a load.
type Setting struct {
	NPU    string  `json:"npu"`
	Cores  int64   `json:"cores"`
	Batch  int64   `json:"batch"`    // of all cores
	GBPerS float64 `json:"gb_per_s"` // of all cores
	Sweep  Sweep   `json:"sweep"`
	params hardware.Params
}

// String names the setting for people.
func (s *Setting) String() string {
	cores := "1 core"
	if s.Cores > 1 {
		cores = fmt.Sprintf("%d cores", s.Cores)
	}
	return fmt.Sprintf("%s NPU, %s, batch %d, %g GB/s", s.NPU, cores, s.Batch, s.GBPerS)
}

// detailed reports whether the setting's gain is taken apart.
func (s *Setting) detailed() bool { return s.Sweep == Main }

// newSetting takes a part of the preset's bandwidth.
func newSetting(npu string, cores, batch int64, bandwidth float64, sweep Sweep) (Setting, error) {
	n, err := hardware.Preset(npu)
	if err == nil {
		n, err = n.WithCores(cores)
	}
	if err != nil {
		return Setting{}, err
	}
	n.DRAMGBPerS *= bandwidth
	n.DRAMGBPerSPerCore *= bandwidth
	return Setting{npu, cores, batch, n.TotalGBPerS(), sweep, n.Params()}, nil
}

// network is one of the paper's, by the names of package zoo.
type network struct{ name, small, large string }

func networks() []network {
	same := func(n string) network { return network{n, n, n} }
	return []network{
		same("fasterrcnn"), same("googlenet"), same("ncf"), same("resnet50"), same("dlrm"), same("mobilenet"),
		{"yolo", "yolov2-tiny", "yolov5l"}, {"bert", "bert-tiny", "bert-large"}, {"t5", "t5-small", "t5-large"},
	}
}

// NetworkNames returns the paper's networks, in its order.
func NetworkNames() []string {
	var names []string
	for _, n := range networks() {
		names = append(names, n.name)
	}
	return names
}

// zoo returns the name of the network that the paper runs on an NPU.
func (n network) zoo(npu string) string {
	if npu == Small {
		return n.small
	}
	return n.large
}

func (n network) build(s *Setting) (models.Model, error) {
	return zoo.Build(n.zoo(s.NPU), zoo.Options{Batch: s.Batch})
}
