package yamltree

// Kind is what a node is.
type Kind uint8

// The kinds of nodes.
const (
	Null Kind = iota
	Bool
	Int   // a whole number; Text has it in decimal digits
	Float // another number
	Text
	List
	Map
)

var kindNames = [...]string{"nothing", "true or false", "a whole number", "a number", "a text", "a list", "a mapping"}

// String says what a node of the kind is, for messages.
func (k Kind) String() string { return kindNames[k] }

// Node is a value of a file.
type Node struct {
	Kind Kind
	Line int
	// Tag is the value's tag with its exclamation mark, empty if it has none.
	Tag string
	// Text is a scalar: a text's characters, a number as it was written.
	Text string
	// Items are a list's values.
	Items []*Node
	// Entries are a mapping's, in the order of the file. No key occurs twice.
	Entries []Entry
}

// Entry is a key of a mapping and its value.
type Entry struct {
	Key   string
	Line  int
	Value *Node
}

// Get returns the value of a key, nil if there is none.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.Entries {
		if n.Entries[i].Key == key {
			return n.Entries[i].Value
		}
	}
	return nil
}

// Keys returns a mapping's keys in the order of the file.
func (n *Node) Keys() []string {
	var keys []string
	for _, e := range n.Entries {
		keys = append(keys, e.Key)
	}
	return keys
}
