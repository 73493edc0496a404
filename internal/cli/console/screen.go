package console

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"fabricast/internal/printable"
)

// Terminal sequences. lineUp moves the cursor up by a number of lines; eraseDown moves it to the
// start of the line and erases everything below.
const (
	lineUp    = "\x1b[%dA"
	eraseDown = "\r\x1b[J"
)

// TerminalOf returns the terminal to which w writes, if it supports cursor movement; otherwise nil.
func TerminalOf(w io.Writer) *os.File {
	file, ok := w.(*os.File)
	if text, is := w.(*printable.Writer); is {
		file, ok = text.File(), true
	}
	if !ok || !term.IsTerminal(int(file.Fd())) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return file
}

// Screen is a group of lines on the terminal that is redrawn in place.
type Screen struct {
	terminal io.Writer
	size     func() (width, height int) // current size of the terminal
	lines    int                        // number of lines drawn
}

// Assumed size, in characters, of terminals that do not report their size.
const (
	usualWidth  = 80
	usualHeight = 24
)

func NewScreen(terminal *os.File) *Screen {
	return &Screen{terminal: terminal, size: func() (int, int) {
		width, height, err := term.GetSize(int(terminal.Fd()))
		if err != nil || width <= 0 || height <= 0 {
			return usualWidth, usualHeight
		}
		return width, height
	}}
}

// Draw replaces the lines. It truncates them to the size of the terminal. It writes only once, to
// avoid flicker.
func (s *Screen) Draw(lines []string) {
	width, height := s.size()
	lines = lines[:min(len(lines), max(1, height-1))]
	text := s.home()
	for _, line := range lines {
		runes := []rune(printable.Text(line))
		text += string(runes[:min(len(runes), width-1)]) + "\n"
	}
	s.lines = len(lines)
	_, _ = io.WriteString(s.terminal, text)
}

// home returns the sequence that erases the drawn lines.
func (s *Screen) home() string {
	if s.lines == 0 {
		return eraseDown
	}
	return fmt.Sprintf(lineUp, s.lines) + eraseDown
}

// Clear erases the lines.
func (s *Screen) Clear() {
	if s.lines > 0 {
		_, _ = io.WriteString(s.terminal, s.home())
		s.lines = 0
	}
}

// Unicode reports whether the user's locale uses UTF-8.
func Unicode() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := os.Getenv(name); value != "" {
			value = strings.ToLower(strings.ReplaceAll(value, "-", ""))
			return strings.Contains(value, "utf8")
		}
	}
	return false
}
