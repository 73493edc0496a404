package atomicfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fabricast/internal/atomicfile"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func succeed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, name, want string) {
	t.Helper()
	got, err := os.ReadFile(name)
	succeed(t, err)
	if string(got) != want {
		t.Errorf("%s holds %q, expected %q", name, got, want)
	}
}

// left checks that a folder has these files and no others.
func left(t *testing.T, folder string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	succeed(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("the folder has %q, expected %q", got, want)
	}
}

func TestWrite(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "a")
	succeed(t, atomicfile.Write(name, text("first")))
	succeed(t, os.Chmod(name, 0o600))
	succeed(t, atomicfile.Write(name, text("second")))
	holds(t, name, "second")
	left(t, folder, "a")
	info, err := os.Stat(name)
	succeed(t, err)
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("a file of mode 600 was replaced by one of %o", mode)
	}
}

func TestFailure(t *testing.T) {
	folder := t.TempDir()
	a, b := filepath.Join(folder, "a"), filepath.Join(folder, "b")
	succeed(t, atomicfile.WriteBytes(a, []byte("before")))
	failure := errors.New("no more paper")
	err := atomicfile.WriteAll([]string{a, b}, func(w []io.Writer) error {
		return errors.Join(text("half")(w[0]), text(strings.Repeat("half", 1<<16))(w[1]), failure)
	})
	if !errors.Is(err, failure) {
		t.Errorf("found error %v, expected %v", err, failure)
	}
	holds(t, a, "before")
	left(t, folder, "a")
}

// A file that cannot be made leaves those named before it as they were, and is named as the user
// did.
func TestWriteNew(t *testing.T) {
	name := filepath.Join(t.TempDir(), "new")
	succeed(t, atomicfile.WriteNew(name, []byte("first")))
	if err := atomicfile.WriteNew(name, []byte("second")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there: %v", err)
	}
	holds(t, name, "first")
}

func TestNoSuchFolder(t *testing.T) {
	folder := t.TempDir()
	missing := filepath.Join(folder, "none", "b")
	err := atomicfile.WriteAll(
		[]string{filepath.Join(folder, "a"), missing},
		func([]io.Writer) error { return nil },
	)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing+":") {
		t.Errorf("found error %v, expected one that names %s", err, missing)
	}
	left(t, folder)
}

func TestLink(t *testing.T) {
	folder := t.TempDir()
	file, link := filepath.Join(folder, "file"), filepath.Join(folder, "link")
	succeed(t, atomicfile.WriteBytes(file, nil))
	succeed(t, os.Symlink(file, link))
	succeed(t, atomicfile.WriteBytes(link, []byte("through")))
	holds(t, file, "through")
	if target, err := os.Readlink(link); err != nil || target != file {
		t.Errorf("the link leads to %q (%v), expected %q", target, err, file)
	}
}

// What is no file is written to, not replaced.
func TestDevice(t *testing.T) {
	succeed(t, atomicfile.WriteBytes(os.DevNull, []byte("gone")))
	info, err := os.Stat(os.DevNull)
	succeed(t, err)
	if info.Mode().IsRegular() {
		t.Errorf("%s is a file now", os.DevNull)
	}
}
