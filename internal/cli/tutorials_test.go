package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// blocks are the fenced blocks of a document: their language and text.
var blocks = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```")

// named begins a block that is a file: a comment with its name.
var named = regexp.MustCompile(`^# (\S+\.\w+)\n`)

// TestTutorials does what the tutorials say: it writes their files and runs their commands, which
// must succeed.
func TestTutorials(t *testing.T) {
	documents, err := filepath.Glob("../../docs/tutorials/*.md")
	if err != nil || len(documents) < 2 {
		t.Fatalf("%d tutorials, %v", len(documents), err)
	}
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, "../../cmd/fabricast").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range documents {
		t.Run(filepath.Base(document), func(t *testing.T) {
			text, err := os.ReadFile(document)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := os.Symlink(examples, filepath.Join(dir, "examples")); err != nil {
				t.Fatal(err)
			}
			for _, block := range blocks.FindAllStringSubmatch(string(text), -1) {
				do(t, dir, bin, block[1], block[2])
			}
		})
	}
}

// do writes the file of a block, or runs its commands.
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
		if err := os.WriteFile(filepath.Join(dir, name[1]), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	cmd := exec.Command("sh", "-ec", text)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s%v\n%s", text, err, strings.TrimSpace(string(out)))
	}
}
