package console

import (
	"strings"
	"testing"
)

func TestScreenDrawsInPlace(t *testing.T) {
	var out strings.Builder
	s := &Screen{terminal: &out, size: func() (int, int) { return 6, 4 }}
	f := func(do func(), want string) {
		t.Helper()
		out.Reset()
		do()
		if got := out.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f(s.Clear, "")
	// a line as wide as the terminal would wrap
	f(func() { s.Draw([]string{"one", "longer"}) }, "\r\x1b[Jone\nlonge\n")
	f(func() { s.Draw([]string{"1", "2", "3", "4"}) }, "\x1b[2A\r\x1b[J1\n2\n3\n")
	f(s.Clear, "\x1b[3A\r\x1b[J")
	f(s.Clear, "")
}

func TestUnicode(t *testing.T) {
	f := func(all, ctype, lang string, want bool) {
		t.Helper()
		t.Setenv("LC_ALL", all)
		t.Setenv("LC_CTYPE", ctype)
		t.Setenv("LANG", lang)
		if got := Unicode(); got != want {
			t.Errorf("LC_ALL=%q LC_CTYPE=%q LANG=%q: %v, want %v", all, ctype, lang, got, want)
		}
	}
	f("", "", "en_GB.UTF-8", true)
	f("", "ja_JP.utf8", "C", true)
	f("C", "", "en_GB.UTF-8", false)
	f("", "", "", false)
}
