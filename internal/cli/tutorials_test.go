package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fabricast/internal/built"
)

// blocks matches the fenced code blocks of a document: language and text.
var blocks = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```")

// named matches the start of a code block that is a file: a comment with the file's name.
var named = regexp.MustCompile(`^# (\S+\.\w+)\n`)

// results matches the name of a result folder in a command.
var results = regexp.MustCompile(`--out (\S+)`)

// TestTutorials follows the tutorials, all in one folder: it writes their files and runs their
// commands, which must succeed. The tutorials must not share names of files or result folders.
func TestTutorials(t *testing.T) {
	documents, err := filepath.Glob("../../docs/tutorials/*.md")
	if err != nil || len(documents) < 2 {
		t.Fatalf("%d tutorials, %v", len(documents), err)
	}
	bin := filepath.Dir(built.Command(t))
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(examples, filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	for _, document := range documents {
		t.Run(filepath.Base(document), func(t *testing.T) {
			text, err := os.ReadFile(document)
			if err != nil {
				t.Fatal(err)
			}
			for _, block := range blocks.FindAllStringSubmatch(string(text), -1) {
				do(t, dir, bin, block[1], block[2])
			}
		})
	}
}

// do writes the file of a code block, or runs its commands.
func do(t *testing.T, dir, bin, language, text string) {
	t.Helper()
	if language != "sh" {
		name := named.FindStringSubmatch(text)
		if name == nil {
			name = regexp.MustCompile(`^(?://|/\*) (\S+\.\w+)`).FindStringSubmatch(text)
		}
		if name == nil {
			t.Fatalf("a block of %s without the name of its file: %q", language, text)
		}
		isNew(t, dir, name[1])
		if err := os.WriteFile(filepath.Join(dir, name[1]), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, folder := range results.FindAllStringSubmatch(text, -1) {
		isNew(t, dir, folder[1])
	}
	cmd := exec.Command("sh", "-ec", text)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s%v\n%s", text, err, strings.TrimSpace(string(out)))
	}
}

// isNew fails if a file or folder of that name exists.
func isNew(t *testing.T, dir, name string) {
	t.Helper()
	if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
		t.Errorf("%s is the name of a file or folder before this", name)
	}
}
