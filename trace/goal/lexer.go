package goal

import (
	"fmt"
	"strconv"

	"fabricast/trace"
)

// Values of token.kind.
const (
	end    = iota // end of the file
	word          // a letter, then letters, digits and underscores
	number        // digits, possibly after a minus sign
	mark          // any other character, such as { } :
)

// token is a token of the text. It is valid until the next token is read.
type token struct {
	kind  int
	text  []byte
	value int64 // if kind is number
	line  int64
}

// is reports whether the token is the given word or character.
func (t *token) is(text string) bool { return t.kind != end && string(t.text) == text }

// lexer splits the text of a schedule into tokens.
type lexer struct {
	window trace.Window
	data   []byte // unread part of the current piece of the file
	whole  bool   // data extends to the end of the file
	line   int64  // current line, from 0
	ahead  token  // next token, if peeked
	peeked bool
}

// longest is the maximum length of a token in bytes.
const longest = 1 << 10

// fill makes at least n bytes available in data, or the rest of the file if it is shorter.
func (l *lexer) fill(n int) error {
	if len(l.data) >= n || l.whole {
		return nil
	}
	l.window.Skip(l.window.Left() - len(l.data))
	data, err := l.window.Peek(n)
	l.data, l.whole = data, len(data) < n
	return err
}

// offset returns the offset in the file of the first unread byte.
func (l *lexer) offset() int64 { return l.window.Offset() + int64(l.window.Left()-len(l.data)) }

// peek returns the next token without consuming it.
func (l *lexer) peek() (*token, error) {
	if !l.peeked {
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		l.ahead, l.peeked = t, true
	}
	return &l.ahead, nil
}

// next consumes and returns the next token.
func (l *lexer) next() (token, error) {
	if l.peeked {
		l.peeked = false
		return l.ahead, nil
	}
	if err := l.space(); err != nil {
		return token{}, err
	}
	t := token{line: l.line + 1}
	if len(l.data) == 0 {
		return t, nil
	}
	n := 1
	switch c := l.data[0]; {
	case letter(c):
		t.kind = word
		for n < len(l.data) && n <= longest && (letter(l.data[n]) || digit(l.data[n]) || l.data[n] == '_') {
			n++
		}
	case digit(c) || c == '-':
		t.kind = number
		for n < len(l.data) && n <= longest && digit(l.data[n]) {
			n++
		}
	default:
		t.kind = mark
	}
	t.text = l.data[:n]
	if n > longest {
		return t, l.fail(&t, "a word of up to 1,024 characters")
	}
	if t.kind == number {
		var err error
		if t.value, err = strconv.ParseInt(string(t.text), 10, 64); err != nil {
			return t, l.fail(&t, "a number")
		}
	}
	l.data = l.data[n:]
	return t, nil
}

// space skips white space and comments.
func (l *lexer) space() error {
	for {
		if err := l.fill(2 * longest); err != nil || len(l.data) == 0 {
			return err
		}
		switch c := l.data[0]; {
		case c == '\n':
			l.line++
			l.data = l.data[1:]
		case c == ' ' || c == '\t' || c == '\r':
			l.data = l.data[1:]
		case c == '/' && len(l.data) > 1 && l.data[1] == '/':
			if err := l.pass("\n"); err != nil {
				return err
			}
		case c == '/' && len(l.data) > 1 && l.data[1] == '*':
			l.data = l.data[2:]
			if err := l.pass("*/"); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// pass skips the rest of a comment. text is the end of the comment: "*/", which is skipped, or a
// newline, which is not. Without such an end, it skips the rest of the file.
func (l *lexer) pass(text string) error {
	for {
		if err := l.fill(2); err != nil || len(l.data) == 0 {
			return err
		}
		switch {
		case l.data[0] == '\n' && text == "\n":
			return nil
		case len(l.data) >= len(text) && string(l.data[:len(text)]) == text:
			l.data = l.data[len(text):]
			return nil
		case l.data[0] == '\n':
			l.line++
		}
		l.data = l.data[1:]
	}
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func digit(c byte) bool { return c >= '0' && c <= '9' }

// fail returns an error at a token.
func (l *lexer) fail(t *token, expected string) error {
	found := "the end of the file"
	const most = 40
	if t.kind != end {
		found = strconv.Quote(string(t.text[:min(len(t.text), most)]))
	}
	return &trace.Error{
		File:     l.window.Path,
		Offset:   t.line,
		Text:     true,
		What:     "schedule",
		Found:    found,
		Expected: expected,
	}
}

// want consumes the next token. It returns an error if the token is not text.
func (l *lexer) want(text string) error {
	t, err := l.next()
	if err == nil && !t.is(text) {
		err = l.fail(&t, text)
	}
	return err
}

// restart continues at an offset in the file. line is the number of lines before it.
func (l *lexer) restart(offset, line int64) {
	l.window.Goto(offset)
	l.data, l.whole, l.peeked, l.line = nil, false, false, line
}

// number consumes a number, and returns an error if it is not from least to most. what is the name
// of the number in the error message.
func (l *lexer) number(what string, least, most int64) (int64, error) {
	t, err := l.next()
	switch {
	case err != nil:
		return 0, err
	case t.kind != number || t.value < least:
		return 0, l.fail(&t, fmt.Sprintf("%s, a number from %d", what, least))
	case t.value > most:
		return 0, l.fail(&t, fmt.Sprintf("%s, a number up to %d", what, most))
	}
	return t.value, nil
}
