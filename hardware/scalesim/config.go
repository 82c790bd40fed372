package scalesim

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/internal/nearest"
)

// ErrConfig is wrapped by every error about what a configuration holds.
var ErrConfig = errors.New("malformed SCALE-Sim configuration")

const (
	maxBytes = 1 << 16 // of a file

	// What configurations do not say.
	assumedClockMHz  = 1000
	assumedWordBytes = 1

	maxBandwidth = 1e6 // words a cycle
)

// Load reads an NPU from a configuration file; see Parse.
func Load(path string) (*hardware.NPU, []string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("NPU file: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, nil, fmt.Errorf("NPU file: %w", err)
	}
	return Parse(data, path)
}

// Parse reads an NPU from a configuration, and says in plain words what it
// assumes. name stands for the file in errors, and its last element without
// extension for an NPU whose file gives no run_name. Errors wrap ErrConfig: all
// that is wrong, with file and line, what it is and what would be right.
func Parse(data []byte, name string) (npu *hardware.NPU, notes []string, err error) {
	c := &config{file: name, values: map[string]value{}}
	switch {
	case len(data) > maxBytes:
		c.badf(0, "the file has more than %d bytes", maxBytes)
	case !utf8.Valid(data):
		c.badf(0, "the file is not UTF-8, want text such as ArrayHeight: 32")
	default:
		c.read(string(data))
	}
	if len(c.errs) > 0 {
		return nil, nil, errors.Join(c.errs...)
	}
	n := c.npu()
	if len(c.errs) > 0 {
		return nil, nil, errors.Join(c.errs...)
	}
	if err := n.Validate(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w: %w", name, ErrConfig, err)
	}
	return n, c.notes, nil
}

// value is what a line gives a key.
type value struct {
	text string
	line int
}

// config is a file's keys, in lower case.
type config struct {
	file   string
	values map[string]value
	keys   []string // as written, in order
	notes  []string
	errs   []error
}

func (c *config) badf(line int, format string, args ...any) {
	where := c.file
	if line > 0 {
		where = fmt.Sprintf("%s:%d", c.file, line)
	}
	c.errs = append(c.errs, fmt.Errorf("%s: %w: "+format, append([]any{where, ErrConfig}, args...)...))
}

// read collects the keys of all sections: no two sections that matter here have
// a key in common.
func (c *config) read(text string) {
	text = strings.TrimPrefix(text, "\ufeff")
	number, section := 0, ""
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			if section = strings.ToLower(strings.Trim(line, "[] ")); !strings.HasSuffix(line, "]") {
				c.badf(number, "section %.50q has no end, want ] behind it", line)
			}
		default:
			c.assign(line, section, number)
		}
	}
}

func (c *config) assign(line, section string, number int) {
	i := strings.IndexAny(line, ":=")
	if i <= 0 {
		c.badf(number, "%.50q is neither a section nor a key, want KEY : VALUE", line)
		return
	}
	key := strings.TrimSpace(line[:i])
	if section != "" && section != "general" && section != "architecture_presets" && section != "run_presets" {
		return
	}
	v := value{strings.TrimSpace(line[i+1:]), number}
	for _, mark := range []string{" #", " ;", "\t#", "\t;"} {
		v.text, _, _ = strings.Cut(v.text, mark)
	}
	v.text = strings.TrimSpace(v.text)
	folded := strings.ToLower(key)
	if first, twice := c.values[folded]; twice {
		c.badf(number, "%s occurs twice, first in line %d, want it once", key, first.line)
		return
	}
	c.values[folded] = v
	c.keys = append(c.keys, key)
}

// get returns the value of a key that must be there.
func (c *config) get(key, want string) (value, bool) {
	v, ok := c.values[strings.ToLower(key)]
	if !ok {
		hint := ""
		if best, near := nearest.Name(key, c.keys); near {
			hint = fmt.Sprintf(" (line %d has %s)", c.values[strings.ToLower(best)].line, best)
		}
		c.badf(0, "%s is missing, want %s%s", key, want, hint)
	}
	return v, ok
}

// whole reads a whole number of 1 to high.
func (c *config) whole(key string, high int64) int64 {
	want := fmt.Sprintf("a whole number from 1 to %d", high)
	v, ok := c.get(key, want)
	if !ok {
		return 1
	}
	n, err := strconv.ParseInt(v.text, 10, 64)
	if err != nil || n < 1 || n > high {
		c.badf(v.line, "%s is %.50q, want %s", key, v.text, want)
		return 1
	}
	return n
}

func (c *config) npu() *hardware.NPU {
	kib := func(key string) int64 { return c.whole(key, hardware.MaxSPMBytes>>10) << 10 }
	n := &hardware.NPU{
		Name:      c.name(),
		Array:     hardware.Array{Rows: c.whole("ArrayHeight", hardware.MaxArray), Cols: c.whole("ArrayWidth", hardware.MaxArray)},
		Dataflows: []hardware.Dataflow{c.dataflow()},
		ClockMHz:  assumedClockMHz,
		Cores:     1,
		SPMs: []hardware.SPM{
			{Holds: []hardware.Role{hardware.Inputs}, Bytes: kib("IfmapSramSzkB")},
			{Holds: []hardware.Role{hardware.Weights}, Bytes: kib("FilterSramSzkB")},
			{Holds: []hardware.Role{hardware.Accumulators}, Bytes: kib("OfmapSramSzkB")},
		},
		BytesIn: assumedWordBytes, BytesOut: assumedWordBytes, BytesAcc: assumedWordBytes,
	}
	words := c.bandwidth()
	n.DRAMGBPerS = words * assumedWordBytes * assumedClockMHz / 1000
	c.notes = append(c.notes,
		"the file gives no clock and no widths: 1000 MHz, words of 1 byte, partial sums too, are assumed",
		fmt.Sprintf("a bandwidth of %g words a cycle is taken for the one DRAM interface, without latency", words),
		"folds do not overlap, as SCALE-Sim has it; no energies",
	)
	if v := c.values["interfacebandwidth"]; strings.EqualFold(v.text, "calc") {
		c.notes = append(c.notes, "InterfaceBandwidth is CALC, where SCALE-Sim ignores Bandwidth; here it holds")
	}
	n.Description = "SCALE-Sim configuration: " + strings.Join(c.notes, "; ")
	return n
}

const maxName = 64 // characters of an NPU's name

// name returns the run's name, or that of the file.
func (c *config) name() string {
	name := c.values["run_name"].text
	if name == "" {
		base := filepath.Base(c.file)
		name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	name = strings.Trim(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, name), `"' `)
	if r := []rune(name); len(r) > maxName {
		name = string(r[:maxName])
	}
	if name == "" {
		name = "scalesim"
	}
	return name
}

func (c *config) dataflow() hardware.Dataflow {
	const want = "os, ws or is"
	v, ok := c.get("Dataflow", want)
	if !ok {
		return hardware.OS
	}
	d, err := hardware.ParseDataflow(strings.ToLower(v.text))
	if err != nil {
		c.badf(v.line, "Dataflow is %.50q, want %s", v.text, want)
	}
	return d
}

// bandwidth reads words a cycle: one number, or one for each of the three SRAMs
// of which the first counts.
func (c *config) bandwidth() float64 {
	want := fmt.Sprintf("words a cycle, above 0 and up to %g", float64(maxBandwidth))
	v, ok := c.get("Bandwidth", want)
	if !ok {
		return 1
	}
	words := 0.0
	for i, text := range strings.Split(v.text, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(x >= 0.001 && x <= maxBandwidth) {
			c.badf(v.line, "Bandwidth is %.50q, want %s", v.text, want)
			return 1
		}
		if i == 0 {
			words = x
		} else if x != words {
			c.notes = append(c.notes, "of several bandwidths the first counts")
		}
	}
	return words
}
