package config

import (
	"slices"
	"strconv"
	"strings"
)

// Set returns the tree with the field at a dotted path replaced, as in "network.link.latency=50ns".
// The value is YAML, so it may be a list or a mapping. Missing mappings along the path are created.
// Items of an existing list are addressed by an index from 0, as in "jobs[1].start=1ms". The error
// is of type Problems.
func Set(root *Node, assignment string) (*Node, error) {
	return SetBy("--set "+assignment, root, assignment)
}

// SetBy is Set for an assignment that error messages refer to by the given name.
func SetBy(name string, root *Node, assignment string) (*Node, error) {
	source := &Source{Name: name, Text: assignment, Command: true}
	path, text, ok := strings.Cut(assignment, "=")
	at := Position{Source: source, Line: 1, Column: 1, Width: len([]rune(path))}
	if !ok || path == "" || strings.Contains(assignment, "\n") {
		return nil, Problems{
			{Position: at, Found: assignment, Expected: "an assignment such as network.link.latency=50ns"},
		}
	}
	if strings.TrimSpace(text) == "" {
		at.Width = len([]rune(assignment))
		return nil, Problems{
			{Position: at, Field: path, Found: "nothing", Expected: "a value, or null for the default"},
		}
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

// Put returns the tree with the field at a dotted path replaced by a node. The node's position is
// used for the whole path.
func Put(root *Node, path string, value *Node) *Node {
	names := strings.Split(path, ".")
	places := make([]Position, len(names))
	for i := range places {
		places[i] = value.Position
	}
	return with(root, names, value, places)
}

// Unfold returns the tree with a single value at a dotted path replaced by a mapping that has the
// value in its field key, so that other fields can be added. If there is no single value at the
// path, it returns the tree unchanged.
func Unfold(root *Node, path, key string) *Node {
	n := Get(root, path)
	if n == nil || n.Kind != Scalar {
		return root
	}
	return Put(
		root,
		path,
		&Node{
			Kind:     Mapping,
			Position: n.Position,
			Fields:   []Field{{Key: key, KeyPosition: n.Position, Value: n}},
		},
	)
}

// Without returns the tree without the given top-level fields.
func Without(root *Node, keys ...string) *Node {
	copied := *root
	copied.Fields = slices.DeleteFunc(
		slices.Clone(root.Fields),
		func(f Field) bool { return slices.Contains(keys, f.Key) },
	)
	return &copied
}

// Get returns the node at a dotted path; nil if there is none.
func Get(root *Node, path string) *Node {
	for name := range strings.SplitSeq(path, ".") {
		if i, item := root.element(name); item >= 0 {
			root = root.Fields[i].Value.Items[item]
			continue
		}
		i := root.field(name)
		if i < 0 {
			return nil
		}
		root = root.Fields[i].Value
	}
	return root
}

// with returns a copy of the tree with the value at a path replaced. It copies the nodes along the
// path, because aliases may share them. places holds the position of each name of the path.
func with(n *Node, path []string, value *Node, places []Position) *Node {
	if len(path) == 0 {
		return value
	}
	copied := Node{Kind: Mapping, Position: places[0]}
	if n.Kind == Mapping {
		copied.Position, copied.Fields = n.Position, slices.Clone(n.Fields)
	}
	if i, item := copied.element(path[0]); item >= 0 {
		list := *copied.Fields[i].Value
		list.Items = slices.Clone(list.Items)
		list.Items[item] = with(list.Items[item], path[1:], value, places[1:])
		copied.Fields[i].Value = &list
		return &copied
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

// element returns the indices of a field and of an item in its list, for a name such as jobs[1].
// item is -1 if the name has another form, or if there is no such item.
func (n *Node) element(name string) (field, item int) {
	key, rest, found := strings.Cut(name, "[")
	number, closed := strings.CutSuffix(rest, "]")
	field = -1
	if found && closed {
		field = n.field(key)
	}
	if field < 0 {
		return field, -1
	}
	list := n.Fields[field].Value
	item, err := strconv.Atoi(number)
	if err != nil || list.Kind != List || item < 0 || item >= len(list.Items) {
		return field, -1
	}
	return field, item
}
