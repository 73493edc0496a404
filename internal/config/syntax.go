package config

import (
	"errors"
	"strings"

	"github.com/goccy/go-yaml"
)

// syntaxHints maps parts of the YAML library's messages to plain explanations. The first match is
// used.
var syntaxHints = []struct{ part, hint string }{
	{"'}' must be specified", "a comma or a } is missing before this"},
	{"']' must be specified", "a comma or a ] is missing before this"},
	{"end token ']'", "this [ has no ]"},
	{"end token '}'", "this { has no }"},
	{"'[' character", "this ] has no ["},
	{"'{' character", "this } has no {"},
	{"end character of", "the quotation mark has no second one"},
	{"escape character", "double quotation marks do not know this escape; single ones take it as it is"},
	{"\t", "indent with spaces, not with tabs"},
	{"tab character", "indent with spaces, not with tabs"},
	{"reserved character", "a value that begins with this needs quotation marks"},
	{"directive", "a value that begins with % needs quotation marks"},
	{"undefined anchor", "a name is missing after &"},
	{"undefined alias", "a name is missing after *"},
	{"mapping value is not allowed", "a field inside of a value: look at the colons and the indentation"},
	{"value is not allowed", "look at the indentation and the brackets"},
	{"non-map value", "a field needs a colon and a value"},
	{"unexpected key name", "a field needs a colon and a value"},
	{"scalar value type", "a value is missing between two commas"},
	{"flow map content", "a value or a bracket is missing here"},
}

// syntax converts a syntax error of the YAML library to a Problems.
func (b *builder) syntax(err error, start Position) error {
	message, at := err.Error(), start
	var e yaml.Error
	if errors.As(err, &e) {
		message = e.GetMessage()
		if e.GetToken() != nil {
			at = b.position(e.GetToken())
		}
	}
	hint := message
	for _, h := range syntaxHints {
		if strings.Contains(message, h.part) {
			hint = h.hint
			break
		}
	}
	return Problems{{Position: at, Found: "a mistake of syntax", Expected: "well-formed YAML", Hint: hint}}
}
