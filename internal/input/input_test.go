package input_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"fabricast/internal/input"
	"fabricast/internal/needed"
)

// kinds are all kinds of files.
var kinds = []input.Kind{
	input.Experiment, input.Network, input.Mapping, input.Partition, input.Imbalance, input.Noise, input.Permutation, input.Routes, input.Recording, input.Arrivals, input.Collectives, input.Reference, input.Trace, input.TraceFiles, input.Rates,
	input.Program, input.Progress, input.Result, input.Layout, input.Sweep, input.Table, input.Lock, input.Copied,
}

// sparse makes a file of a size that takes no space.
func sparse(t *testing.T, size int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sparse")
	f, err := os.Create(path)
	if err == nil {
		err = errors.Join(f.Truncate(size), f.Close())
	}
	if err != nil {
		needed.Missing(t, err) // the file system does not hold such files
	}
	return path
}

// TestRefused: for every kind, what has no end, blocks, is no file or is too large is refused at
// once.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		needed.Missing(t, err)
	}
	socket, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	link := filepath.Join(dir, "link")
	if err := os.Symlink("/dev/zero", link); err != nil {
		t.Fatal(err)
	}
	f := func(path, found string, kind input.Kind) {
		t.Helper()
		file, _, err := input.Open(path, kind)
		var refused *input.Error
		if !errors.As(err, &refused) || !strings.Contains(refused.Found, found) || file != nil {
			t.Errorf("%s: got %v, expected a word of %s", path, err, found)
		}
		if text, err := input.Text(path, kind); err == nil || text != "" {
			t.Errorf("%s: read %d bytes", path, len(text))
		}
	}
	for _, kind := range kinds {
		f("/dev/zero", "a device", kind)
		f(link, "a device", kind)
		f(pipe, "a pipe", kind)
		f(filepath.Join(dir, "socket"), "a socket", kind)
		f(dir, "a folder", kind)
		f(filepath.Join(dir, "absent"), "no such file", kind)
		f(filepath.Join(dir, "a\x00b"), "invalid argument", kind)
		f("", "nothing", kind)
		if kind.Most() < 1<<42 { // the most that usual file systems hold is not much more
			f(sparse(t, kind.Most()+1), "bytes", kind)
		}
	}
}

func TestSystemErrors(t *testing.T) {
	_, err := input.Text(filepath.Join(t.TempDir(), "absent"), input.Experiment)
	if !errors.Is(err, fs.ErrNotExist) ||
		!strings.HasSuffix(err.Error(), "absent: found no such file or directory, expected a readable file") {
		t.Error(err)
	}
	if _, err := input.Text(t.TempDir(), input.Experiment); !errors.Is(err, syscall.EISDIR) {
		t.Error(err)
	}
}

// TestWithoutSize: files of the system tell no size, and are read all the same.
func TestWithoutSize(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		needed.Missing(t, err)
	}
	if text, err := input.Text("/proc/self/status", input.Experiment); err != nil ||
		!strings.Contains(text, "Pid:") {
		t.Errorf("%q, %v", text, err)
	}
}

// readers may open files by themselves: they read what no user names, or write.
var readers = []string{
	"internal/input/", "internal/atomicfile/", "internal/machine/", "internal/bench/", "record/left.go", "record/progress.go", "record/folder.go",
	"cmpi/internal/", "internal/layers/",
	"internal/producttest/",          // for tests: reads what runs have left
	"calibrate/simulate.go",          // adds to its own record of progress
	"internal/cli/runs/jobs.go",      // writes to the null device
	"internal/cli/traces/command.go", // likewise
	"internal/checkpoint/journal.go", // writes on; it reads by package input
	"record/growing.go",              // likewise
	"trace/otf2/chunks.go",           // writes archives
	"trace/otf2/handover.go",         // reads what it has written
	"internal/cluster/claims/",       // writes and reads its own files, and the system's about processes
}

// TestOnlyHere: no other package opens a file to read it.
func TestOnlyHere(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		if d.IsDir() {
			switch name {
			case "tools", "examples", "web", "scripts", ".git", "bin":
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		for _, r := range readers {
			if strings.HasPrefix(name, r) {
				return nil
			}
		}
		text, err := os.ReadFile(path)
		for _, call := range []string{"os.Open(", "os.ReadFile(", "os.OpenFile(", "os.DirFS(", "os.ReadDir(", "ioutil."} {
			if strings.Contains(string(text), call) {
				t.Errorf("%s calls %s..., expected package input", name, call)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
