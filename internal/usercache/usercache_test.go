package usercache_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"fabricast/internal/usercache"
)

// key is the key of what a result depends on.
func key(f *usercache.Folder, what string) (k usercache.Key) {
	h := f.Hash()
	h.Write([]byte(what))
	h.Sum(k[:0])
	return k
}

func holds(t *testing.T, f *usercache.Folder, what, want string) {
	t.Helper()
	if got, ok := f.Get(key(f, what)); !ok || string(got) != want {
		t.Errorf("%q is under %q: %v, expected %q", got, what, ok, want)
	}
}

func holdsNot(t *testing.T, f *usercache.Folder, what string) {
	t.Helper()
	if got, ok := f.Get(key(f, what)); ok {
		t.Errorf("%q is under %q, expected nothing", got, what)
	}
}

// TestKept: a result is found under its own key only, and only by the program that has calculated it.
func TestKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "when needed")
	f := usercache.At(path, "program")
	holdsNot(t, f, "a")
	f.Put(key(f, "a"), []byte("result"))
	f.Put(key(f, "b"), nil)
	holds(t, f, "a", "result")
	holds(t, f, "b", "")
	holdsNot(t, f, "c")
	holds(t, usercache.At(path, "program"), "a", "result")
	holdsNot(t, usercache.At(path, "another build"), "a")
}

// TestNothingIsKept: where there is no cache, or none that can be written, nothing goes wrong.
func TestNothingIsKept(t *testing.T) {
	var none *usercache.Folder
	none.Put(usercache.Key{}, []byte("result"))
	if _, ok := none.Get(usercache.Key{}); ok {
		t.Error("no cache has a result")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f := usercache.At(file, "program") // no folder can have this name
	f.Put(key(f, "a"), []byte("result"))
	holdsNot(t, f, "a")
	if usercache.Current() != nil {
		t.Error("a program that has not asked for it has a cache")
	}
}

// TestDamaged: a file that is cut short, longer, changed anywhere, or of another key counts as absent, and is replaced.
func TestDamaged(t *testing.T) {
	path := t.TempDir()
	f := usercache.At(path, "program")
	f.Put(key(f, "a"), []byte("result"))
	names, err := filepath.Glob(filepath.Join(path, "*"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%q, %v", names, err)
	}
	good, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	try := func(damaged []byte) {
		t.Helper()
		if err := os.WriteFile(names[0], damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		holdsNot(t, f, "a")
	}
	for n := range good {
		try(good[:n])
		changed := bytes.Clone(good)
		changed[n] ^= 1
		try(changed)
	}
	try(append(bytes.Clone(good), 0))
	f.Put(key(f, "b"), []byte("of b"))
	names, err = filepath.Glob(filepath.Join(path, "*"))
	if err != nil || len(names) != 2 {
		t.Fatalf("%q, %v", names, err)
	}
	f.Put(key(f, "a"), []byte("result"))
	holds(t, f, "a", "result")
	if err := os.Rename(names[0], names[1]); err != nil {
		t.Fatal(err)
	}
	holdsNot(t, f, "a")
	holdsNot(t, f, "b")
}

// TestOldOnesGo: the folder does not grow without bound, the newest results stay, and so do files of others.
func TestOldOnesGo(t *testing.T) {
	path := t.TempDir()
	other := filepath.Join(path, "notes.txt")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f := usercache.At(path, "program")
	f.Put(key(f, "old"), nil)
	names, err := filepath.Glob(filepath.Join(path, "[0-9a-f]*"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%q, %v", names, err)
	}
	for _, name := range []string{names[0], other} {
		if err := os.Chtimes(name, time.Time{}, time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
	}
	const many = 2000
	for i := range many {
		f.Put(key(f, fmt.Sprint(i)), nil)
	}
	holds(t, f, fmt.Sprint(many-1), "")
	holdsNot(t, f, "old")
	left, err := os.ReadDir(path)
	if err != nil || len(left) > many*3/4 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}

// TestProcesses: several goroutines of several processes write and read the same results at once. What is found is
// always whole.
func TestProcesses(t *testing.T) {
	const variable = "USERCACHE_TEST_FOLDER"
	path := os.Getenv(variable)
	if path == "" {
		path = t.TempDir()
		for range 2 {
			other := exec.Command(os.Args[0], "-test.run=^TestProcesses$")
			other.Env = append(os.Environ(), variable+"="+path)
			var said bytes.Buffer
			other.Stdout, other.Stderr = &said, &said
			if err := other.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := other.Wait(); err != nil {
					t.Errorf("%v\n%s", err, &said)
				}
			}()
		}
	}
	f := usercache.At(path, "program")
	results := make([][]byte, 8)
	for i := range results {
		results[i] = bytes.Repeat([]byte{byte(i)}, 1000*i)
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for n := range 200 {
				i := n % len(results)
				k := key(f, fmt.Sprint(i))
				f.Put(k, results[i])
				if got, ok := f.Get(k); !ok || !bytes.Equal(got, results[i]) {
					t.Errorf("result %d has %d bytes: %v", i, len(got), ok)
				}
			}
		})
	}
	group.Wait()
}
