package plan

import (
	"iter"
	"strings"
	"unicode/utf8"

	"fabricast/internal/config"
)

// records yields what is written on the lines of a text that are neither empty nor only a comment,
// which # begins, and where.
func records(source *config.Source) iter.Seq2[config.Position, string] {
	return func(yield func(at config.Position, record string) bool) {
		at := config.Position{Source: source}
		for line := range strings.Lines(source.Text) {
			if at.Line++; at.Line == 1 {
				line = strings.TrimPrefix(line, "\ufeff")
			}
			written, _, _ := strings.Cut(line, "#")
			record := strings.TrimSpace(written)
			if record == "" {
				continue
			}
			before, _, _ := strings.Cut(written, record)
			at.Column, at.Width = 1+utf8.RuneCountInString(before), utf8.RuneCountInString(record)
			if !yield(at, record) {
				return
			}
		}
	}
}
