package libraries

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fabricast/internal/config"
)

// value is a JSON value with its position. The members of an object keep their order.
type value struct {
	at      config.Position
	text    string // of a string, a number or another scalar
	quoted  bool   // a string
	members []member
	items   []*value
	kind    json.Delim // '{', '[' or 0
}

// member is a member of an object.
type member struct {
	key string
	at  config.Position
	is  *value
}

// get returns a member of an object; nil if it has none of that name.
func (v *value) get(key string) *value {
	i := slices.IndexFunc(v.members, func(m member) bool { return m.key == key })
	if i < 0 {
		return nil
	}
	return v.members[i].is
}

// wrong returns an error about the value.
func (v *value) wrong(expected string) error {
	found := v.text
	switch {
	case v.kind == '{':
		found = "an object"
	case v.kind == '[':
		found = "a list"
	case v.quoted:
		found = strconv.Quote(v.text)
	}
	return config.Problems{{Position: v.at, Found: found, Expected: expected}}
}

// jsonReader reads JSON with positions.
type jsonReader struct {
	source *config.Source
	d      *json.Decoder
	lines  []int // where lines begin
	depth  int
}

// deepest is how deeply values may be nested.
const deepest = 100

// readJSON reads a text that holds one JSON value.
func readJSON(source *config.Source) (*value, error) {
	r := &jsonReader{source: source, d: json.NewDecoder(strings.NewReader(source.Text)), lines: []int{0}}
	r.d.UseNumber()
	for i, c := range []byte(source.Text) {
		if c == '\n' {
			r.lines = append(r.lines, i+1)
		}
	}
	v, err := r.value()
	if err == nil {
		if _, more := r.d.Token(); !errors.Is(more, io.EOF) {
			return nil, config.Problems{{Position: r.here(1), Found: "more text", Expected: "one JSON value"}}
		}
	}
	return v, err
}

// here returns the position of the last token, of which width characters are marked.
func (r *jsonReader) here(width int) config.Position {
	offset := min(max(int(r.d.InputOffset())-width, 0), len(r.source.Text))
	row, found := slices.BinarySearch(r.lines, offset)
	if !found {
		row--
	}
	column := 1 + utf8.RuneCountInString(r.source.Text[r.lines[row]:offset])
	return config.Position{Source: r.source, Line: row + 1, Column: column, Width: max(width, 1)}
}

// token returns the next token and its position.
func (r *jsonReader) token() (json.Token, config.Position, error) {
	before := r.d.InputOffset()
	t, err := r.d.Token()
	if err != nil {
		at := r.here(0)
		var syntax *json.SyntaxError
		found := err.Error()
		if errors.As(err, &syntax) {
			found = syntax.Error()
		} else if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			found = "the end"
		}
		return nil, at, config.Problems{{Position: at, Found: found, Expected: "JSON"}}
	}
	text := strings.TrimLeft(r.source.Text[before:r.d.InputOffset()], " \t\r\n,:")
	return t, r.here(len(text)), nil
}

// value reads a value.
func (r *jsonReader) value() (*value, error) {
	t, at, err := r.token()
	if err != nil {
		return nil, err
	}
	v := &value{at: at}
	switch t := t.(type) {
	case json.Delim:
		if r.depth++; r.depth > deepest {
			return nil, config.Problems{{
				Position: at, Found: fmt.Sprintf("more than %d levels", deepest), Expected: "fewer",
			}}
		}
		v.kind = t
		err = r.inside(v)
		r.depth--
	case string:
		v.text, v.quoted = t, true
	case nil:
		v.text = "null"
	default:
		v.text = fmt.Sprint(t)
	}
	return v, err
}

// inside reads what an object or a list holds.
func (r *jsonReader) inside(v *value) error {
	for r.d.More() {
		var m member
		if v.kind == '{' {
			t, at, err := r.token()
			if err != nil {
				return err
			}
			m.key, _ = t.(string)
			m.at = at
		}
		var err error
		if m.is, err = r.value(); err != nil {
			return err
		}
		if v.kind == '{' {
			v.members = append(v.members, m)
		} else {
			v.items = append(v.items, m.is)
		}
	}
	_, _, err := r.token() // the end
	return err
}
