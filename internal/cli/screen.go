package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Sequences of the terminal that go to the beginning of the line, some lines up, and empty all from there on.
const (
	lineUp    = "\x1b[%dA"
	eraseDown = "\r\x1b[J"
)

// terminalOf is the writer as a terminal that can be drawn on; nil if it is none.
func terminalOf(w io.Writer) *os.File {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return file
}

// screen is some lines on the terminal that are drawn again and again in place.
type screen struct {
	terminal io.Writer
	size     func() (width, height int) // of the terminal now
	lines    int                        // that are drawn
}

// Size of terminals that do not tell theirs.
const (
	usualWidth  = 80
	usualHeight = 24
)

func newScreen(terminal *os.File) *screen {
	return &screen{terminal: terminal, size: func() (int, int) {
		width, height, err := term.GetSize(int(terminal.Fd()))
		if err != nil || width <= 0 || height <= 0 {
			return usualWidth, usualHeight
		}
		return width, height
	}}
}

// draw replaces the lines; what does not fit the terminal is left out. It is one write, so
// that nothing flickers.
func (s *screen) draw(lines []string) {
	width, height := s.size()
	lines = lines[:min(len(lines), max(1, height-1))]
	text := s.home()
	for _, line := range lines {
		runes := []rune(line)
		text += string(runes[:min(len(runes), width-1)]) + "\n"
	}
	s.lines = len(lines)
	_, _ = io.WriteString(s.terminal, text)
}

// home is what empties the lines that are drawn.
func (s *screen) home() string {
	if s.lines == 0 {
		return eraseDown
	}
	return fmt.Sprintf(lineUp, s.lines) + eraseDown
}

// clear removes the lines.
func (s *screen) clear() {
	if s.lines > 0 {
		_, _ = io.WriteString(s.terminal, s.home())
		s.lines = 0
	}
}

// unicode tells whether text is UTF-8 in the user's locale.
func unicode() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := os.Getenv(name); value != "" {
			value = strings.ToLower(strings.ReplaceAll(value, "-", ""))
			return strings.Contains(value, "utf8")
		}
	}
	return false
}
