// Package words cuts the lines of plain files that people write into words, and knows their columns.
package words

import (
	"strings"
	"unicode/utf8"
)

// Word is a word of a line.
type Word struct {
	Text   string
	Column int // in which it begins, in characters from 1
}

// Width is how many characters the word has.
func (w Word) Width() int { return utf8.RuneCountInString(w.Text) }

// Append appends the words of a line, up to the # that begins a comment, to a list.
func Append(list []Word, line string) []Word {
	const blank = " \t\r"
	line, _, _ = strings.Cut(line, "#")
	for column := 1; ; {
		rest := strings.TrimLeft(line, blank)
		if rest == "" {
			return list
		}
		end := strings.IndexAny(rest, blank)
		if end < 0 {
			end = len(rest)
		}
		w := Word{rest[:end], column + len(line) - len(rest)}
		list = append(list, w)
		column = w.Column + w.Width()
		line = rest[end:]
	}
}
