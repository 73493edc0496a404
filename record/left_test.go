//go:build unix

package record

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"fabricast/internal/checkpoint"
)

// begin creates a result folder with a table. end releases its lock, so that it appears to other
// processes as if its process had ended.
func begin(t *testing.T, path string) (f *Folder, end func()) {
	t.Helper()
	f, err := Create(path)
	if err = errors.Join(err, f.Write(LinksTable, []byte("some"))); err != nil {
		t.Fatal(err)
	}
	return f, func() {
		if err := f.lock.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatEndedProcessesLeaveIsRemoved(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "o[u]t")
	_, end := begin(t, path)
	end()
	other, endOther := begin(t, filepath.Join(parent, "other"))
	endOther()
	living, _ := begin(t, path)
	if _, err := os.Stat(living.temp); err != nil {
		t.Fatal(err)
	}
	next, _ := begin(t, path)
	onlyEntry(
		t, parent, filepath.Base(living.shelter), filepath.Base(next.shelter),
		filepath.Base(other.shelter),
	)
}

// TestReaderLeavesAKilledRun: what a run leaves that was killed is no run that goes on, even if another process has
// its number by then.
func TestReaderLeavesAKilledRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	f, end := begin(t, path)
	if err := f.WriteProgress(Progress{State: Running, Time: 5}); err != nil {
		t.Fatal(err)
	}
	if r := open(t, path); r.State() != Running {
		t.Errorf("state %s before its end", r.State())
	}
	end()
	if r, err := Open(path); !errors.Is(err, ErrNoResult) {
		t.Errorf("found %v, %v", r, err)
	}
}

func TestWhatUsersKeepBesideAResultStays(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "out")
	f, end := begin(t, path)
	if err := f.Write("thesis.tex", []byte("years of work")); err != nil {
		t.Fatal(err)
	}
	end()
	mine := filepath.Join(parent, shelterPrefix(path)+"mine")
	if err := os.Mkdir(mine, 0o777); err != nil {
		t.Fatal(err)
	}
	next, _ := begin(t, path)
	onlyEntry(t, parent, filepath.Base(f.shelter), filepath.Base(next.shelter), filepath.Base(mine))
}

func TestAnEarlierResultComesBack(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "out")
	const text = `{"schema": "fabricast.result/2"}`
	f, _ := begin(t, path)
	if err := errors.Join(f.Write(ResultFile, []byte(text)), f.Commit()); err != nil {
		t.Fatal(err)
	}
	f, end := begin(t, path)
	// then the process ends
	if err := os.Rename(path, filepath.Join(f.shelter, oldFolder)); err != nil {
		t.Fatal(err)
	}
	end()
	f, _ = begin(t, path)
	f.Abort()
	onlyEntry(t, parent, "out")
	if got, err := os.ReadFile(filepath.Join(path, ResultFile)); err != nil || string(got) != text {
		t.Errorf("read %s, %v", got, err)
	}
}

// TestWhatFirstCheckpointsLeave checks files that a run leaves if it is killed before it writes its
// first checkpoint. They must not prevent another run from using the path. Files that are not from
// a run must prevent it.
func TestWhatFirstCheckpointsLeave(t *testing.T) {
	leaves := []string{
		checkpoint.JournalName, checkpoint.RecordedName, "." + checkpoint.Name + ".1f-7.part",
		filepath.Join(checkpoint.TablesFolder, MessagesTable),
		filepath.Join(checkpoint.TablesFolder, linksSpill),
		filepath.Join(checkpoint.KeptFolder, "00000003-00000000000000000017ps.fbc"),
	}
	others := []string{
		"notes.txt", filepath.Join(checkpoint.TablesFolder, "mine.parquet"),
		filepath.Join(checkpoint.KeptFolder, "epoch-3.pt"), filepath.Join(checkpoint.JournalName, "mine"),
	}
	rapid.Check(t, func(t *rapid.T) {
		parent, err := os.MkdirTemp("", "left")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(parent)
		path := filepath.Join(parent, "out")
		put := func(name string) {
			name = filepath.Join(path, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte("some"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		other := rapid.SampledFrom(append(others, "", "", "")).Draw(t, "other")
		for _, name := range leaves {
			if rapid.Bool().Draw(t, name) && filepath.Dir(other) != name {
				put(name)
			}
		}
		if other != "" {
			put(other)
		}
		f, err := Create(path)
		if other != "" {
			if !errors.Is(err, ErrOccupied) {
				t.Fatalf("beside %s: %v", other, err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Write(ResultFile, []byte("{}")), f.Commit()); err != nil {
			t.Fatal(err)
		}
		left, err := os.ReadDir(path)
		if err != nil || len(left) != 1 || left[0].Name() != ResultFile {
			t.Fatalf("left %v, %v", left, err)
		}
	})
}
