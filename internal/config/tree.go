package config

// Kind says what a Node is.
type Kind uint8

// Kinds of nodes.
const (
	Null   Kind = iota // nothing was written
	Scalar             // a single value
	List
	Mapping
)

// Node is one value of a parsed configuration.
type Node struct {
	Kind     Kind
	Text     string // of a scalar
	Items    []*Node
	Fields   []Field
	Position Position
}

// Field is one entry of a mapping.
type Field struct {
	Key         string
	KeyPosition Position
	Value       *Node
}

// field returns the index of the entry with a key, -1 if there is none.
func (n *Node) field(key string) int {
	for i := range n.Fields {
		if n.Fields[i].Key == key {
			return i
		}
	}
	return -1
}

// describe names what was found, for messages.
func (n *Node) describe() string {
	switch n.Kind {
	case Scalar:
		if n.Text == "" {
			return "an empty string"
		}
		return n.Text
	case List:
		return "a list"
	case Mapping:
		return "a mapping"
	default:
		return "nothing"
	}
}
