package fields_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"fabricast/internal/fields"
)

func TestAppend(t *testing.T) {
	for line, want := range map[string][]fields.Word{
		"":                    nil,
		" \t# only a comment": nil,
		"a":                   {{Text: "a", Column: 1}},
		"  0 17\r":            {{Text: "0", Column: 3}, {Text: "17", Column: 5}},
		"süd\töst 8GB/s#x y":  {{Text: "süd", Column: 1}, {Text: "öst", Column: 5}, {Text: "8GB/s", Column: 9}},
	} {
		if got := fields.Append(nil, line); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}

// Words are those between blanks, and stand where their columns say.
func TestWordsStandInTheirColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringOf(rapid.SampledFrom([]rune("ab é7\t\r"))).Draw(t, "line")
		list := fields.Append(nil, line)
		var texts []string
		for _, w := range list {
			texts = append(texts, w.Text)
			if runes := []rune(line); string(runes[w.Column-1:w.Column-1+w.Width()]) != w.Text {
				t.Fatalf("%q stands not in column %d of %q", w.Text, w.Column, line)
			}
		}
		if utf8.ValidString(line) && !slices.Equal(texts, strings.Fields(line)) {
			t.Fatalf("words %q of %q", texts, line)
		}
	})
}
