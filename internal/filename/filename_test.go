package filename_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/internal/filename"
)

func TestNames(t *testing.T) {
	f := func(name string, want bool) {
		t.Helper()
		if got := filename.OK(name); got != want {
			t.Errorf("OK(%q) = %t", name, got)
		}
	}
	for _, name := range []string{"plot-1", "latency (us)", "größe", "a.b", "比較", "con-1", strings.Repeat("x", filename.Longest)} {
		f(name, true)
	}
	for _, name := range []string{
		"", ".", "..", "../evil", "a/b", `a\b`, "c:", "/etc/passwd", ".hidden", "a.", " a", "a ", "nul", "NUL.svg", "com1", "a\x00b", "a\x1b[2J",
		"a\nb", "\u202ea", "\xff", strings.Repeat("x", filename.Longest+1),
	} {
		f(name, false)
	}
}

// TestWithinStays: whatever is accepted can be made, and lies in the folder.
func TestWithinStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOf(rapid.RuneFrom([]rune("ab./\\~ :\x00\x1b-cCoOnN\u202e"))).Draw(t, "name")
		folder, err := os.MkdirTemp("", "filename-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(folder)
		path, err := filename.Within(folder, name)
		if err != nil {
			return
		}
		if relative, err := filepath.Rel(folder, path); err != nil || !filepath.IsLocal(relative) ||
			relative == "." {
			t.Fatalf("%q leads to %s", name, path)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	})
}
