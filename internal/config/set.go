package config

import (
	"slices"
	"strings"
)

// Set returns the tree with the field at a dotted path replaced, as in
// "network.link.latency=50ns". The value is YAML, so lists and mappings can be
// given too. Mappings along the path are made where they are missing.
func Set(root *Node, assignment string) (*Node, error) {
	source := &Source{Name: "--set " + assignment, Text: assignment, Command: true}
	path, text, ok := strings.Cut(assignment, "=")
	at := Position{Source: source, Line: 1, Column: 1, Width: len([]rune(path))}
	if !ok || path == "" || strings.Contains(assignment, "\n") {
		return nil, Problems{{Position: at, Found: assignment, Expected: "an assignment such as network.link.latency=50ns"}}
	}
	if strings.TrimSpace(text) == "" {
		at.Width = len([]rune(assignment))
		return nil, Problems{{Position: at, Field: path, Found: "nothing", Expected: "a value, or null for the default"}}
	}
	value, err := parse(source, text, at.Width+1)
	if err != nil {
		return nil, err
	}
	names := strings.Split(path, ".")
	places, column := make([]Position, len(names)), 1
	for i, name := range names {
		places[i] = at
		places[i].Column, places[i].Width = column, len([]rune(name))
		column += places[i].Width + 1
	}
	return with(root, names, value, places), nil
}

// Put returns the tree with the field at a dotted path replaced by a node, whose
// position stands for the whole assignment.
func Put(root *Node, path string, value *Node) *Node {
	names := strings.Split(path, ".")
	places := make([]Position, len(names))
	for i := range places {
		places[i] = value.Position
	}
	return with(root, names, value, places)
}

// Unfold returns the tree with a single value at a dotted path, if that is what stands there, as the field key of a mapping, so that
// other fields can be put beside it.
func Unfold(root *Node, path, key string) *Node {
	n := Get(root, path)
	if n == nil || n.Kind != Scalar {
		return root
	}
	return Put(root, path, &Node{Kind: Mapping, Position: n.Position, Fields: []Field{{Key: key, KeyPosition: n.Position, Value: n}}})
}

// Without returns the tree without some fields of its top level.
func Without(root *Node, keys ...string) *Node {
	copied := *root
	copied.Fields = slices.DeleteFunc(slices.Clone(root.Fields), func(f Field) bool { return slices.Contains(keys, f.Key) })
	return &copied
}

// Get returns the node at a dotted path, nil if there is none.
func Get(root *Node, path string) *Node {
	for name := range strings.SplitSeq(path, ".") {
		i := root.field(name)
		if i < 0 {
			return nil
		}
		root = root.Fields[i].Value
	}
	return root
}

// with copies the nodes along the path, since aliases may share them. Each name
// of the path has its place.
func with(n *Node, path []string, value *Node, places []Position) *Node {
	if len(path) == 0 {
		return value
	}
	copied := Node{Kind: Mapping, Position: places[0]}
	if n.Kind == Mapping {
		copied.Position, copied.Fields = n.Position, slices.Clone(n.Fields)
	}
	i := copied.field(path[0])
	if i < 0 {
		i = len(copied.Fields)
		copied.Fields = append(copied.Fields, Field{Key: path[0], Value: &Node{Position: places[0]}})
	}
	copied.Fields[i].KeyPosition = places[0]
	copied.Fields[i].Value = with(copied.Fields[i].Value, path[1:], value, places[1:])
	return &copied
}
