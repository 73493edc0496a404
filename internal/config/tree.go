package config

import (
	"strings"
)

// Kind is the kind of a Node.
type Kind uint8

// Values of Kind.
const (
	Null   Kind = iota // no value is written
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

	values, levels int // size and depth; an alias counts as a copy
}

// Field is one entry of a mapping.
type Field struct {
	Key         string
	KeyPosition Position
	Value       *Node
}

// field returns the index of the entry with a key; -1 if there is none.
func (n *Node) field(key string) int {
	for i := range n.Fields {
		if n.Fields[i].Key == key {
			return i
		}
	}
	return -1
}

// describe describes the node's value, for messages.
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

// Flow formats the node in one line.
func (n *Node) Flow() string {
	switch n.Kind {
	case List:
		parts := make([]string, len(n.Items))
		for i, item := range n.Items {
			parts[i] = item.Flow()
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case Mapping:
		parts := make([]string, len(n.Fields))
		for i, f := range n.Fields {
			parts[i] = f.Key + ": " + f.Value.Flow()
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return n.Text
}
