package zoo

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/npu-tune/npu-tune/models"
)

var (
	// ErrUnknown is wrapped by the error for a name that is no network's.
	ErrUnknown = errors.New("unknown network")
	// ErrOption is wrapped by the error for an option that the network cannot
	// be built with.
	ErrOption = errors.New("invalid option")
)

// DefaultBatch is the number of images or sequences where Options.Batch is 0.
const DefaultBatch = int64(4)

// Kind says what a network is fed with, and so which options it takes.
type Kind string

// The kinds of networks.
const (
	Image    Kind = "image"    // square images; takes Options.Image
	Sequence Kind = "sequence" // sequences of tokens; takes Options.Seq
	Other    Kind = "other"    // records of features; takes Options.Batch only
)

// Options sizes a network. A zero field means the network's default.
type Options struct {
	Batch int64 // images, sequences or records per step; default DefaultBatch
	Image int64 // rows and columns of an input image, in pixels; default Info.DefaultImage
	Seq   int64 // tokens of a sequence; default Info.DefaultSeq
}

// Info describes a network before it is built.
type Info struct {
	Name         string // the name that Build takes
	Title        string // the name that people write
	Source       string // where the architecture was published
	Kind         Kind
	DefaultImage int64 // pixels a side; 0 unless Kind is Image
	DefaultSeq   int64 // tokens; 0 unless Kind is Sequence
	// MaxSeq is the longest sequence that the network has positions for; 0
	// means that its positions are computed, not stored, so any will do.
	MaxSeq int64
}

// network is an entry of the registry.
type network struct {
	Info
	build func(b *builder)
}

// Names returns the names of all networks, sorted.
func Names() []string {
	var names []string
	for _, n := range networks() {
		names = append(names, n.Name)
	}
	slices.Sort(names)
	return names
}

// Describe returns what is known of a network without building it, or an error
// that wraps ErrUnknown.
func Describe(name string) (Info, error) {
	n, err := find(name)
	return n.Info, err
}

// Build returns the network of that name, sized by o. The error wraps
// ErrUnknown if there is none, or ErrOption if o does not fit it: a negative
// size, an image for a network of sequences, an image so small that a layer
// would have no output, or sizes beyond models.MaxDim.
func Build(name string, o Options) (models.Model, error) {
	n, err := find(name)
	if err != nil {
		return models.Model{}, err
	}
	b, err := n.builder(o)
	if err != nil {
		return models.Model{}, err
	}
	n.build(b)
	return b.model()
}

func find(name string) (network, error) {
	for _, n := range networks() {
		if n.Name == name {
			return n, nil
		}
	}
	return network{}, fmt.Errorf("%w %q, want one of %s", ErrUnknown, name, strings.Join(Names(), ", "))
}

// maxMACs bounds a forward pass, so that no sum over passes, layers and batches
// overflows 64 bits.
const maxMACs = float64(1 << 60)

// builder returns the empty network with o's defaults filled in, or every way
// in which o does not fit.
func (n network) builder(o Options) (*builder, error) {
	var errs []error
	size := func(option string, v, usual, limit int64, takes bool) int64 {
		switch {
		case v == 0:
			return usual
		case !takes:
			errs = append(errs, fmt.Errorf("%w: %s is %d, but %s takes none (its kind is %s)", ErrOption, option, v, n.Name, n.Kind))
		case v < 0 || v > limit:
			errs = append(errs, fmt.Errorf("%w: %s is %d, want 1 to %d for %s", ErrOption, option, v, limit, n.Name))
		}
		return v
	}
	positions := n.MaxSeq
	if positions == 0 {
		positions = models.MaxDim
	}
	b := &builder{
		network: n.Name,
		images:  size("batch", o.Batch, DefaultBatch, models.MaxDim, true),
		side:    size("image", o.Image, n.DefaultImage, models.MaxDim, n.Kind == Image),
		seq:     size("seq", o.Seq, n.DefaultSeq, positions, n.Kind == Sequence),
	}
	return b, errors.Join(errs...)
}

// model returns what was built, or the first thing that stood in the way.
func (b *builder) model() (models.Model, error) {
	if b.err != nil {
		return models.Model{}, b.err
	}
	m := models.Model{Name: b.network, Layers: b.layers, Notes: b.notes, OtherParameters: b.other}
	if err := m.Validate(); err != nil {
		return models.Model{}, fmt.Errorf("%w of %s: %w", ErrOption, b.network, err)
	}
	var macs float64
	for _, l := range m.Layers {
		macs += float64(l.M) * float64(l.N) * float64(l.K) * float64(l.Batches())
	}
	if macs > maxMACs {
		return models.Model{}, fmt.Errorf("%w: %s would take %.3g multiply-accumulates, want at most %.3g: a smaller batch, image or seq", ErrOption, b.network, macs, maxMACs)
	}
	return m, nil
}
