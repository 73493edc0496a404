package checkpoint

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fabricast/internal/snapshot"
)

// written writes a checkpoint of some numbers.
func written(t *testing.T) (path string, numbers []uint32) {
	t.Helper()
	path = filepath.Join(t.TempDir(), Name)
	for i := range uint32(1 << 20) {
		numbers = append(numbers, i*i)
	}
	h := &Header{Program: "p", Experiment: "e", Files: []Copy{{"n", "t"}}, Processes: 1, Blocks: 3, Rounds: 9}
	size, err := Write(path, h, func(v *snapshot.Visitor) { snapshot.Values(v, numbers) })
	about, statErr := os.Stat(path)
	if err != nil || statErr != nil || about.Size() != size {
		t.Fatal(size, err, statErr)
	}
	return path, numbers
}

// restore reads a checkpoint of numbers.
func restore(path string, numbers []uint32) (Header, error) {
	f, err := Open(path)
	if err != nil {
		return Header{}, err
	}
	defer f.Close()
	return f.Header, f.Restore(func(v *snapshot.Visitor) { snapshot.Values(v, numbers) })
}

func TestCheckpoint(t *testing.T) {
	path, numbers := written(t)
	got := make([]uint32, len(numbers))
	h, err := restore(path, got)
	if err != nil || h.Blocks != 3 || h.Rounds != 9 || h.Files[0] != (Copy{"n", "t"}) {
		t.Fatal(h, err)
	}
	for i := range got {
		if got[i] != numbers[i] {
			t.Fatalf("%d: %d", i, got[i])
		}
	}
}

// Every file that is not a whole checkpoint of this format and build is refused by an *Error.
func TestRefused(t *testing.T) {
	path, numbers := written(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := len(whole)
	for want, change := range map[string]func(b []byte) []byte{
		"something else":            func([]byte) []byte { return []byte("nothing of the kind, though long enough") },
		"format 99":                 func(b []byte) []byte { b[len(magic)] = 99; return b },
		"a checksum differs":        func(b []byte) []byte { b[n/2] ^= 4; return b },
		"only the beginning of a":   func(b []byte) []byte { return b[:n-8] },
		"only the beginning of a c": func(b []byte) []byte { return b[:n/3] },
		"another build":             func(b []byte) []byte { return append(b[:n-8], b[n-8:]...) },
	} {
		if err := os.WriteFile(path, change(bytes.Clone(whole)), 0o666); err != nil {
			t.Fatal(err)
		}
		to := make([]uint32, len(numbers))
		if want == "another build" {
			to = to[1:]
		}
		_, err := restore(path, to)
		var refused *Error
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// A checkpoint that cannot be written leaves the one before.
func TestFailedWrite(t *testing.T) {
	path, numbers := written(t)
	_, err := Write(path, &Header{}, func(v *snapshot.Visitor) { v.Fail(errors.New("no")) })
	if err == nil {
		t.Error("no error")
	}
	if _, err := restore(path, make([]uint32, len(numbers))); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Error(left)
	}
}
