// Package fields splits the lines of plain text files into words with their columns.
package fields

import (
	"strings"
	"unicode/utf8"
)

// Word is a word of a line.
type Word struct {
	Text   string
	Column int // column of its first character, from 1
}

// Width returns the number of characters of the word.
func (w Word) Width() int { return utf8.RuneCountInString(w.Text) }

// Append appends the words of a line to a list. It ignores a comment, which starts with #.
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
