package timeloop

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/npu-tune/npu-tune/hardware"
	"github.com/npu-tune/npu-tune/internal/yamltree"
)

// ErrArchitecture is wrapped by every error about an architecture that is
// malformed, or is no NPU of the kind that hardware describes.
var ErrArchitecture = errors.New("cannot import Timeloop architecture")

var limits = yamltree.Limits{Bytes: 1 << 20, Depth: 64}

const (
	assumedClockMHz = 1000
	assumedWords    = 16 // a cycle from DRAM, where a file says nothing
)

// Load reads an NPU from an architecture file; see Parse.
func Load(path string) (*hardware.NPU, []string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("NPU file: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(limits.Bytes)+1))
	if err != nil {
		return nil, nil, fmt.Errorf("NPU file: %w", err)
	}
	return Parse(data, path)
}

// Is reports whether YAML looks like an architecture of Timeloop's rather than
// an NPU of ours.
func Is(data []byte) bool {
	root, err := yamltree.Parse(data, limits)
	return err == nil && root.Get("architecture") != nil
}

// Parse reads an NPU from an architecture, and says in plain words what it
// assumes and leaves out. name stands for the file in errors, and its last
// element without extension is the NPU's name. Errors wrap ErrArchitecture and
// give file and line, what is there and what would be right.
func Parse(data []byte, name string) (npu *hardware.NPU, notes []string, err error) {
	problems := yamltree.NewProblems(name, ErrArchitecture)
	root, err := yamltree.Parse(data, limits)
	if err != nil {
		problems.Syntax(err)
		return nil, nil, problems.Err()
	}
	w := walker{problems: problems}
	switch a := root.Get("architecture"); {
	case a == nil:
		problems.Addf(root.Line, "the file has no architecture, want a mapping with architecture")
	case a.Get("subtree") != nil:
		w.subtree(a.Get("subtree"), 1, 0)
	case a.Get("nodes") != nil:
		w.nodes(a.Get("nodes"))
	default:
		problems.Addf(a.Line, "architecture has %s, want subtree or nodes", strings.Join(a.Keys(), ", "))
	}
	if problems.Count() > 0 {
		return nil, nil, problems.Err()
	}
	m := machine{problems: problems}
	n := m.npu(w.levels, fileName(name))
	if problems.Count() > 0 {
		return nil, nil, problems.Err()
	}
	if err := n.Validate(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w: %w", name, ErrArchitecture, err)
	}
	return n, m.notes, nil
}

const maxName = 64 // characters of an NPU's name

func fileName(path string) string {
	base := filepath.Base(path)
	name := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, strings.TrimSuffix(base, filepath.Ext(base))))
	return string(name[:min(len(name), maxName)])
}

// machine makes an NPU of levels.
type machine struct {
	problems *yamltree.Problems
	notes    []string
}

func (m *machine) note(format string, args ...any) {
	m.notes = append(m.notes, fmt.Sprintf(format, args...))
}

// is reports whether a level's class or name says that it is of a kind.
func (l *level) is(kinds ...string) bool {
	for _, text := range []string{strings.ToLower(l.class), strings.ToLower(l.name)} {
		for _, k := range kinds {
			if strings.Contains(text, k) {
				return true
			}
		}
	}
	return false
}

func (m *machine) npu(levels []level, name string) *hardware.NPU {
	var dram, buffer, mac *level
	var buffers, inside []string
	for i := range levels {
		l := &levels[i]
		switch {
		case l.is("mac", "compute", "multiplier"):
			mac = l
		case l.is("dram"):
			dram = l
		case l.instances == 1:
			buffer = l
			buffers = append(buffers, l.name)
		default:
			inside = append(inside, l.name)
		}
	}
	if dram == nil || mac == nil || len(buffers) != 1 {
		m.problems.Addf(0, "it has %s, want DRAM, one buffer that all processing elements share, and multiply-accumulate units", describe(levels))
		return nil
	}
	n := &hardware.NPU{
		Name: name, Array: m.array(mac), Dataflows: []hardware.Dataflow{hardware.OS, hardware.WS, hardware.IS}, ClockMHz: assumedClockMHz, Cores: 1,
		SPMs: hardware.Unified(m.capacity(buffer)),
	}
	n.BytesIn = m.wordBytes(buffer)
	n.BytesOut, n.BytesAcc = n.BytesIn, n.BytesIn
	words := m.bandwidth(dram)
	n.DRAMGBPerS = words * float64(n.BytesIn) * assumedClockMHz / 1000
	m.note("the file gives no clock: 1000 MHz is assumed; all words, partial sums too, have the buffer's %d bytes; no energies, no DMA latency", n.BytesIn)
	m.note("any of the dataflows os, ws and is; folds do not overlap")
	if len(inside) > 0 {
		m.note("not modelled, being inside the array: %s", strings.Join(inside, ", "))
	}
	n.Description = shortened("Timeloop architecture: " + strings.Join(m.notes, "; "))
	return n
}

// shortened cuts a description to what an NPU may have.
func shortened(s string) string {
	const most = 1000
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, s)), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

func describe(levels []level) string {
	var names []string
	for _, l := range levels[:min(len(levels), 12)] {
		text := yamltree.Shown(l.name)
		if l.instances > 1 {
			text = fmt.Sprintf("%d %s", l.instances, text)
		}
		names = append(names, text)
	}
	if len(names) == 0 {
		return "no levels"
	}
	return strings.Join(names, ", ")
}

// array returns the array: meshX columns, the other instances in rows.
func (m *machine) array(mac *level) hardware.Array {
	cols := mac.meshX
	if cols == 0 {
		cols = mac.instances
		m.note("the file gives no meshX: the %d processing elements are taken for one row", cols)
	}
	if mac.instances%cols != 0 {
		m.problems.Addf(mac.line, "meshX of %s is %d, want a divisor of its %d instances", mac.name, cols, mac.instances)
	}
	return hardware.Array{Rows: max(mac.instances/cols, 1), Cols: cols}
}

// number returns an attribute that is a positive number, 0 where there is none.
func (m *machine) number(l *level, keys ...string) float64 {
	for _, k := range keys {
		n := l.attributes.Get(k)
		if n == nil || n.Kind == yamltree.Null {
			continue
		}
		x, err := strconv.ParseFloat(n.Text, 64)
		if err != nil || !(x > 0 && x <= 1<<50) {
			m.problems.Addf(n.Line, "%s of %s is %s, want a number above 0", k, l.name, n.Describe())
			return 0
		}
		return x
	}
	return 0
}

func (m *machine) wordBytes(l *level) int64 {
	bits := m.number(l, "word-bits", "word_bits", "datawidth", "data_width")
	switch {
	case bits == 0:
		m.note("%s has no word width: 2 bytes are assumed", l.name)
		return 2
	case bits != float64(int64(bits)) || int64(bits)%8 != 0 || bits > float64(8*hardware.MaxWidth):
		m.problems.Addf(l.line, "words of %s have %g bits, want a multiple of 8 up to %d", l.name, bits, 8*hardware.MaxWidth)
		return 1
	}
	return int64(bits) / 8
}

// capacity returns a buffer's bytes: depth × width bits, or what it says.
func (m *machine) capacity(l *level) int64 {
	depth, width := m.number(l, "depth", "memory_depth"), m.number(l, "width", "memory_width")
	bits := depth * width
	if kb := m.number(l, "sizeKB"); bits == 0 && kb != 0 {
		bits = kb * 8 * 1024
	}
	if entries := m.number(l, "entries"); bits == 0 && entries != 0 {
		bits = entries * float64(8*m.wordBytes(l))
	}
	if bits < 8 || bits/8 > float64(hardware.MaxSPMBytes) {
		m.problems.Addf(l.line, "%s has %g bytes, want its depth and width (bits), or sizeKB, of 1 byte to %d", l.name, bits/8, hardware.MaxSPMBytes)
		return 1
	}
	return int64(bits / 8)
}

// bandwidth returns the words that DRAM moves in a cycle.
func (m *machine) bandwidth(l *level) float64 {
	if shared := m.number(l, "shared_bandwidth"); shared != 0 {
		return shared
	}
	read, write := m.number(l, "read_bandwidth"), m.number(l, "write_bandwidth")
	switch {
	case read == 0 && write == 0:
		m.note("the file gives no bandwidth of %s: %d words a cycle are assumed", l.name, assumedWords)
		return assumedWords
	case read == 0 || write == 0 || read == write:
		read = max(read, write)
	default:
		m.note("%s reads %g and writes %g words a cycle: the less counts for both", l.name, read, write)
		read = min(read, write)
	}
	m.note("its %g words a cycle are taken for the one interface that reads and writes share", read)
	return read
}
