package config

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"fabricast/internal/input"
)

// Load reads and parses a YAML file.
func Load(path string) (*Node, error) {
	text, err := input.Text(path, input.Experiment)
	if err != nil {
		return nil, err
	}
	return Parse(&Source{Name: path, Text: text})
}

// Parse parses YAML text that holds one mapping. It removes a byte order mark, which some editors
// write, from the source. Its error is of type Problems.
func Parse(source *Source) (*Node, error) {
	root, err := ParseValue(source)
	if err != nil {
		return nil, err
	}
	if root.Kind == Null {
		root.Kind = Mapping
	}
	if root.Kind != Mapping {
		return nil, Problems{
			{Position: root.Position, Found: root.describe(), Expected: "a mapping of fields"},
		}
	}
	return root, nil
}

// ParseValue is like Parse for text that may hold any value.
func ParseValue(source *Source) (*Node, error) {
	source.Text = strings.TrimPrefix(source.Text, "\ufeff")
	return parse(source, source.Text, 0)
}

// parse parses a text that starts at character `offset` of the first line of its source.
func parse(source *Source, text string, offset int) (*Node, error) {
	start := Position{Source: source, Line: 1, Column: 1 + offset, Width: 1}
	if !utf8.ValidString(text) {
		return nil, Problems{{Position: start, Found: "bytes that are not UTF-8", Expected: "text"}}
	}
	b := builder{source: source, offset: offset, anchors: map[string]*Node{}}
	tokens, err := b.tokens(text, start)
	if err != nil {
		return nil, err
	}
	// duplicate keys are allowed here because mapping reports them with more detail
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, b.syntax(err, start)
	}
	root := &Node{Position: start}
	for i, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if root, err = b.node("", doc.Body); err != nil {
			return nil, err
		}
		if i > 0 {
			return nil, Problems{{Position: root.Position, Found: "a second document", Expected: "one"}}
		}
	}
	return root, nil
}

// builder converts the YAML library's tree to Nodes.
type builder struct {
	source  *Source
	offset  int
	anchors map[string]*Node
}

func (b *builder) position(t *token.Token) Position {
	p := Position{
		Source: b.source,
		Line:   t.Position.Line,
		Column: t.Position.Column,
		Width:  utf8.RuneCountInString(t.Value),
	}
	if p.Line == 1 {
		p.Column += b.offset
	}
	if t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType {
		p.Width += 2
	}
	return p
}

// node converts the value at a path of fields. It returns an error if the value is too large.
func (b *builder) node(path string, n ast.Node) (*Node, error) {
	node, err := b.unbounded(path, n)
	if err != nil {
		return nil, err
	}
	return node, node.measure()
}

// unbounded is like node without the check of the size.
func (b *builder) unbounded(path string, n ast.Node) (*Node, error) {
	switch n := n.(type) {
	case *ast.NullNode:
		return &Node{Kind: Null, Position: b.position(n.Token)}, nil
	case *ast.StringNode:
		return &Node{Kind: Scalar, Text: n.Value, Position: b.position(n.Token)}, nil
	case *ast.LiteralNode:
		return &Node{Kind: Scalar, Text: n.Value.Value, Position: b.position(n.Start)}, nil
	case *ast.TagNode:
		return nil, b.unsupported(n.Start, "a YAML tag")
	case *ast.AnchorNode:
		value, err := b.node(path, n.Value)
		if err == nil {
			b.anchors[n.Name.GetToken().Value] = value
		}
		return value, err
	case *ast.AliasNode:
		return b.alias(n)
	case *ast.SequenceNode:
		return b.list(path, n)
	case *ast.MappingNode:
		start := n.Start
		if !n.IsFlowStyle && len(n.Values) > 0 {
			start = n.Values[0].Key.GetToken()
		}
		return b.mapping(path, start, n.Values)
	case *ast.MappingValueNode:
		return b.mapping(path, n.Key.GetToken(), []*ast.MappingValueNode{n})
	case ast.ScalarNode:
		return &Node{Kind: Scalar, Text: n.GetToken().Value, Position: b.position(n.GetToken())}, nil
	default:
		return nil, b.unsupported(n.GetToken(), "a YAML "+n.Type().String())
	}
}

func (b *builder) unsupported(t *token.Token, what string) error {
	return Problems{{Position: b.position(t), Found: what, Expected: "a plain value, a list or a mapping"}}
}

// alias returns the anchored node itself. Nodes do not change after parsing, so an alias costs
// nothing however often it is used.
func (b *builder) alias(n *ast.AliasNode) (*Node, error) {
	name := n.Value.GetToken()
	value, ok := b.anchors[name.Value]
	if !ok {
		return nil, Problems{
			{
				Position: b.position(name),
				Found:    "*" + name.Value,
				Expected: "an anchor that was defined above",
			},
		}
	}
	return value, nil
}

func (b *builder) list(path string, n *ast.SequenceNode) (*Node, error) {
	list := &Node{Kind: List, Position: b.position(n.Start)}
	for i, v := range n.Values {
		item, err := b.node(fmt.Sprintf("%s[%d]", path, i), v)
		if err != nil {
			return nil, err
		}
		list.Items = append(list.Items, item)
	}
	return list, nil
}

func (b *builder) mapping(path string, start *token.Token, values []*ast.MappingValueNode) (*Node, error) {
	m := &Node{Kind: Mapping, Position: b.position(start)}
	if len(values) > maxFields {
		return nil, b.tooManyFields(values[maxFields].Key.GetToken())
	}
	lines := make(map[string]int, len(values)) // line of each key
	for _, v := range values {
		key := v.Key.GetToken()
		if key.Type == token.MappingKeyType {
			return nil, b.unsupported(key, "a question mark before the name of a field")
		}
		field := join(path, key.Value)
		if line, ok := lines[key.Value]; ok {
			return nil, Problems{{
				Position: b.position(key),
				Field:    field, Found: key.Value + " a second time", Expected: "each field once",
				Hint: fmt.Sprintf("the first is in line %d", line),
			}}
		}
		lines[key.Value] = key.Position.Line
		value, err := b.node(field, v.Value)
		if err != nil {
			return nil, err
		}
		if v.Key.IsMergeKey() {
			return nil, b.unsupported(v.Key.GetToken(), "a merge key")
		}
		m.Fields = append(m.Fields, Field{Key: key.Value, KeyPosition: b.position(key), Value: value})
	}
	return m, nil
}
