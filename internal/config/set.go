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
	value, err := parse(source, text, at.Width+1)
	if err != nil {
		return nil, err
	}
	return with(root, strings.Split(path, "."), value, at, 0), nil
}

// with copies the nodes along the path, since aliases may share them. The
// position of each key is its part of the assignment.
func with(n *Node, path []string, value *Node, at Position, column int) *Node {
	if len(path) == 0 {
		return value
	}
	key := path[0]
	keyAt := at
	keyAt.Column, keyAt.Width = 1+column, len([]rune(key))
	copied := Node{Kind: Mapping, Position: keyAt}
	if n.Kind == Mapping {
		copied.Position, copied.Fields = n.Position, slices.Clone(n.Fields)
	}
	i := copied.field(key)
	if i < 0 {
		i = len(copied.Fields)
		copied.Fields = append(copied.Fields, Field{Key: key, KeyPosition: keyAt, Value: &Node{Position: keyAt}})
	}
	copied.Fields[i].KeyPosition = keyAt
	copied.Fields[i].Value = with(copied.Fields[i].Value, path[1:], value, at, column+keyAt.Width+1)
	return &copied
}
