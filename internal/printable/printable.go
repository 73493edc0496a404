// Package printable makes control characters visible, so that those in files and their names cannot
// move a terminal's cursor, change its colours or do worse.
package printable

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text replaces control characters, and characters that change the direction of writing, by escapes
// such as \x1b or \u202e. New lines and tabs remain.
func Text(s string) string {
	if !strings.ContainsFunc(s, controls) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case !controls(r):
			b.WriteString(s[:size])
		case r == utf8.RuneError && size == 1, r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, []byte(s[:size])[size-1])
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		s = s[size:]
	}
	return b.String()
}

// InPlace is like Text, but replaces each such character by a single one, so that columns remain
// aligned.
func InPlace(line string) string {
	return strings.Map(func(r rune) rune {
		if controls(r) {
			return '?'
		}
		return r
	}, line)
}

// controls reports whether a character must be replaced.
func controls(r rune) bool {
	return r != '\n' && r != '\t' &&
		(unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == utf8.RuneError)
}

// Writer writes text to a file, with control characters replaced as by Text. It is not safe for
// concurrent use.
type Writer struct {
	file *os.File
	rest []byte // incomplete character at the end of the text so far
}

// NewWriter returns a Writer that writes to a file.
func NewWriter(file *os.File) *Writer { return &Writer{file: file} }

// File returns the file that the writer writes to.
func (w *Writer) File() *os.File { return w.file }

// Write writes a part of a text. If there is no error, it returns len(p).
func (w *Writer) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	end := len(text)
	for i := max(0, end-utf8.UTFMax+1); i < end; i++ { // check whether the last character is incomplete
		if utf8.RuneStart(text[i]) && !utf8.FullRune(text[i:]) {
			end = i
			break
		}
	}
	w.rest = append([]byte(nil), text[end:]...)
	if _, err := io.WriteString(w.file, Text(string(text[:end]))); err != nil {
		return 0, err
	}
	return len(p), nil
}
