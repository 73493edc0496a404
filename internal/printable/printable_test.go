package printable_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"fabricast/internal/printable"
)

func TestText(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if got := printable.Text(text); got != want {
			t.Errorf("Text(%q) = %q, want %q", text, got, want)
		}
	}
	f("plain ünïcode █\n\tok", "plain ünïcode █\n\tok")
	f("\x1b[2J\a\x00\r\x7f", `\x1b[2J\x07\x00\x0d\x7f`)
	f("\u009b31m\xff\u202e", `\x9b31m\xff\u202e`)
}

// TestWriter: however a text is cut into writes, nothing but what is printed comes out, and the
// same as of the whole.
func TestWriter(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOf(rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte("a\x1b\x9b\xc2\xe2\x80\xae")))).
			Draw(t, "text")
		file, err := os.Create(filepath.Join(dir, "out"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		w := printable.NewWriter(file)
		for rest := append(append([]byte(nil), text...), '\n'); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "part")
			if written, err := w.Write(rest[:n]); err != nil || written != n {
				t.Fatal(written, err)
			}
			rest = rest[n:]
		}
		got, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		if want := printable.Text(string(text)) + "\n"; string(got) != want {
			t.Fatalf("%q, want %q", got, want)
		}
		if !utf8.Valid(got) ||
			strings.ContainsFunc(
				string(got),
				func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) },
			) {
			t.Fatalf("%q", got)
		}
	})
}
