//go:build unix

package input

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPrint: files and folders have the same print where their contents are the same, and other ones
// where a size, a name or what is at the beginning of a file is another. Pipes have none.
func TestPrint(t *testing.T) {
	folder := func(files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	base := folder(map[string]string{"a": "one", "b": strings.Repeat("x", printed+1)})
	for want, list := range map[bool][]map[string]string{
		true: {{"a": "one", "b": strings.Repeat("x", printed+1)}},
		false: {
			{"a": "two", "b": strings.Repeat("x", printed+1)},
			{"a": "one"},
			{"a": "one", "c": strings.Repeat("x", printed+1)},
			{"a": "one", "b": strings.Repeat("x", printed)},
			{},
		},
	} {
		for _, files := range list {
			other := folder(files)
			if got := Print(base) == Print(other); got != want || Print(other) == "" {
				t.Errorf("%d files: %s and %s", len(files), Print(base), Print(other))
			}
		}
	}
	if a, b := Print(filepath.Join(base, "a")), Print(filepath.Join(folder(map[string]string{"z": "one"}), "z")); a != b {
		t.Errorf("%s and %s", a, b)
	}
	pipe := filepath.Join(base, "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	if Print(pipe) != "" || Print(filepath.Join(base, "none")) != "" {
		t.Error("a pipe, or nothing, has a print")
	}
}
