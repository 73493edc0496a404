package netfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"fabricast/internal/config"
)

// jsonReader reads JSON as nodes with positions, without the limits that package config has for experiments.
type jsonReader struct {
	source       *config.Source
	decoder      *json.Decoder
	at           int // offset of line and column
	line, column int
}

// maxJSONDepth limits how deep lists and objects may be within each other.
const maxJSONDepth = 100

// readJSON reads a text that is one object. Keys may occur several times.
func readJSON(source *config.Source) (*config.Node, config.Problems) {
	r := &jsonReader{source: source, decoder: json.NewDecoder(strings.NewReader(source.Text)), line: 1, column: 1}
	r.decoder.UseNumber()
	root, err := r.value(0)
	if err == nil && root.Kind != config.Mapping {
		err = config.Problems{{Position: root.Position, Found: "another value", Expected: "an object in braces"}}
	}
	if err == nil {
		if _, more := r.decoder.Token(); !errors.Is(more, io.EOF) {
			err = config.Problems{{Position: r.position(1), Found: "more after the object", Expected: "one object"}}
		}
	}
	var problems config.Problems
	if err != nil && !errors.As(err, &problems) {
		expected := "JSON"
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err, expected = errors.New("the end of the file"), "the rest of the object"
		}
		problems = config.Problems{{Position: r.position(1), Found: err.Error(), Expected: expected}}
	}
	return root, problems
}

// position returns the position of the next token, or of a mistake there.
func (r *jsonReader) position(width int) config.Position {
	offset := int(r.decoder.InputOffset())
	text := r.source.Text
	for offset < len(text) && strings.IndexByte(" \t\r\n,:", text[offset]) >= 0 {
		offset++
	}
	for r.at < offset {
		c, size := utf8.DecodeRuneInString(text[r.at:])
		r.at += size
		if r.column++; c == '\n' {
			r.line, r.column = r.line+1, 1
		}
	}
	return config.Position{Source: r.source, Line: r.line, Column: r.column, Width: width}
}

// value reads the next value.
func (r *jsonReader) value(depth int) (*config.Node, error) {
	at := r.position(1)
	if depth > maxJSONDepth {
		return nil, config.Problems{{
			Position: at, Found: "lists and objects within each other, too deep",
			Expected: fmt.Sprintf("at most %d levels", maxJSONDepth),
		}}
	}
	token, err := r.decoder.Token()
	if err != nil {
		return nil, err
	}
	node := &config.Node{Kind: config.Scalar, Position: at}
	switch t := token.(type) {
	case json.Delim:
		if t == '[' {
			node.Kind = config.List
			for r.decoder.More() {
				item, err := r.value(depth + 1)
				if err != nil {
					return nil, err
				}
				node.Items = append(node.Items, item)
			}
		} else if err := r.object(node, depth); err != nil {
			return nil, err
		}
		_, err = r.decoder.Token() // the end
	case nil:
		node.Kind = config.Null
	case string:
		node.Text, node.Position.Width = t, utf8.RuneCountInString(t)+2
	default:
		node.Text = fmt.Sprint(t)
		node.Position.Width = len(node.Text)
	}
	return node, err
}

// object reads the fields of an object.
func (r *jsonReader) object(node *config.Node, depth int) error {
	node.Kind = config.Mapping
	for r.decoder.More() {
		at := r.position(1)
		key, err := r.decoder.Token()
		if err != nil {
			return err
		}
		value, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		name, _ := key.(string) // keys are strings
		at.Width = utf8.RuneCountInString(name) + 2
		node.Fields = append(node.Fields, config.Field{Key: name, KeyPosition: at, Value: value})
	}
	return nil
}

// fieldOf returns the value of the first of some fields of a mapping that it has; nil if it has none, or
// null.
func fieldOf(n *config.Node, names ...string) *config.Node {
	if n == nil {
		return nil
	}
	for _, name := range names {
		for i := range n.Fields {
			if f := &n.Fields[i]; f.Key == name && f.Value.Kind != config.Null {
				return f.Value
			}
		}
	}
	return nil
}

// textOf returns the text of a scalar; "" if n is none.
func textOf(n *config.Node) string {
	if n == nil || n.Kind != config.Scalar {
		return ""
	}
	return n.Text
}

// flat returns the text of a value: that of a scalar, or the items of a list, separated by spaces.
func flat(n *config.Node) string {
	switch n.Kind {
	case config.Scalar:
		return n.Text
	case config.List:
		texts := make([]string, len(n.Items))
		for i, item := range n.Items {
			texts[i] = flat(item)
		}
		return strings.Join(texts, " ")
	}
	return ""
}
