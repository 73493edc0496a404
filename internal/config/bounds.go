package config

import (
	"fmt"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"fabricast/internal/humanize"
)

// Limits of YAML files. The parser needs hundreds of bytes for each token, memory quadratic in the
// nesting depth, and time quadratic in the number of fields of a mapping.
const (
	maxTokens = 200_000
	maxDepth  = 100
	maxFields = 1_000
)

// tokens splits YAML into tokens. It returns an error if the text exceeds a limit.
func (b *builder) tokens(text string, start Position) (token.Tokens, error) {
	list := lexer.Tokenize(text)
	if len(list) > maxTokens {
		return nil, Problems{{
			Position: start, Found: humanize.Count(len(list)) + " words and signs",
			Expected: "at most " + humanize.Count(maxTokens),
		}}
	}
	var d depth
	var f fields
	for i, t := range list {
		if key := f.take(list, i); key != nil {
			return nil, b.tooManyFields(key)
		}
		if d.take(t); d.brackets+len(d.indents)+d.signs > maxDepth {
			return nil, Problems{{
				Position: b.position(t),
				Found:    "lists and mappings within each other, too deep",
				Expected: fmt.Sprintf("at most %d levels", maxDepth),
			}}
		}
	}
	return list, nil
}

// tooManyFields returns the error for the first field beyond the limit of a mapping.
func (b *builder) tooManyFields(key *token.Token) error {
	return Problems{{
		Position: b.position(key),
		Found:    "one more field of a mapping", Expected: "at most " + humanize.Count(maxFields),
	}}
}

// fields counts the fields of mappings in block style, whose keys start in the same column. It
// ignores mappings in braces, which the parser handles in linear time.
type fields struct {
	open     []openMapping // nested mappings, the outermost first
	brackets int
}

type openMapping struct{ column, fields int }

// take processes token i of a list. It returns the key of a field that exceeds the limit, else nil.
func (f *fields) take(list token.Tokens, i int) (key *token.Token) {
	switch t := list[i]; t.Type {
	case token.SequenceStartType, token.MappingStartType:
		f.brackets++
	case token.SequenceEndType, token.MappingEndType:
		f.brackets = max(0, f.brackets-1)
	case token.SequenceEntryType:
		f.end(t.Position.Column + 1)
	case token.MappingValueType:
		if f.brackets > 0 || i == 0 {
			return nil
		}
		key = list[i-1]
		column := key.Position.Column
		f.end(column + 1)
		if n := len(f.open); n == 0 || f.open[n-1].column < column {
			f.open = append(f.open, openMapping{column: column})
		}
		if last := &f.open[len(f.open)-1]; last.fields < maxFields {
			last.fields++
			return nil
		}
		return key
	}
	return nil
}

// end ends the mappings whose fields start in the given column or further to the right.
func (f *fields) end(column int) {
	for n := len(f.open); n > 0 && f.open[n-1].column >= column; n = len(f.open) {
		f.open = f.open[:n-1]
	}
}

// measure counts the values and levels of a node. It returns an error for too many, because aliases
// can expand a short text enormously.
func (n *Node) measure() error {
	n.values, n.levels = 1, 1
	take := func(child *Node) {
		n.values += child.values
		n.levels = max(n.levels, 1+child.levels)
	}
	for _, item := range n.Items {
		take(item)
	}
	for _, f := range n.Fields {
		take(f.Value)
	}
	if n.values <= maxTokens && n.levels <= maxDepth {
		return nil
	}
	return Problems{{
		Position: n.Position,
		Found:    fmt.Sprintf("%s values on %d levels", humanize.Count(n.values), n.levels),
		Expected: fmt.Sprintf("at most %s values on %d levels", humanize.Count(maxTokens), maxDepth),
	}}
}

// depth computes the nesting of lists and mappings at a token. It may count a level twice, but
// never misses one.
type depth struct {
	brackets int   // open brackets
	indents  []int // start columns of the enclosing lines
	signs    int   // markers of items, keys and values in this line
	line     int
}

func (d *depth) take(t *token.Token) {
	if at := t.Position; at.Line != d.line {
		d.line, d.signs = at.Line, 0
		for len(d.indents) > 0 && d.indents[len(d.indents)-1] >= at.Column {
			d.indents = d.indents[:len(d.indents)-1]
		}
		d.indents = append(d.indents, at.Column)
	}
	switch t.Type {
	case token.SequenceStartType, token.MappingStartType:
		d.brackets++
	case token.SequenceEndType, token.MappingEndType:
		d.brackets = max(0, d.brackets-1)
	case token.CollectEntryType:
		d.signs = 0 // a comma ends the levels opened in this line
	case token.SequenceEntryType,
		token.MappingKeyType,
		token.MappingValueType,
		token.AnchorType,
		token.TagType:
		d.signs++
	}
}
