package recording

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fabricast"
	"fabricast/internal/producttest"
	"fabricast/mpi"
)

func exchange(r *mpi.Rank) {
	r.Sendrecv(mpi.Size(100), r.Rank()^1, 0, mpi.Size(100), r.Rank()^1, 0)
}

// The folder of a program in Go says which one ran, and its experiment is enough to run it again.
func TestFolderOfAProgramInGo(t *testing.T) {
	e := producttest.Torus(4)
	e.Seed, e.Program = 7, exchange
	folder := filepath.Join(t.TempDir(), "out")
	want := producttest.Run(t, &e, fabricast.Record(folder))
	file := filepath.Join(folder, "experiment.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const program = "fabricast/internal/producttest/recording.exchange"
	for _, line := range []string{"# What ran is not in this file: " + program + ", a function in Go", "#   e.Program = " + program + "\n"} {
		if !strings.Contains(string(text), line) {
			t.Errorf("%s lacks %q", text, line)
		}
	}
	var wrong *fabricast.ConfigError
	if _, err := fabricast.Load(file); !errors.As(err, &wrong) ||
		!strings.Contains(err.Error(), "workload: found nothing to run") ||
		!strings.Contains(err.Error(), "LoadMachine") {
		t.Errorf("got %v", err)
	}
	again, err := fabricast.LoadMachine(file)
	if err != nil {
		t.Fatal(err)
	}
	again.Program = exchange
	if got := producttest.Run(t, again); got.Hash != want.Hash {
		t.Errorf("repeated: %s, want %s", got.Hash, want.Hash)
	}
}

// Whatever the command holds, the file stays an experiment.
func TestFolderOfAnotherProgram(t *testing.T) {
	e := producttest.Torus(4)
	e.Program, e.Command = exchange, "run\nseed: 12\rranks: 2"
	folder := filepath.Join(t.TempDir(), "out")
	producttest.Run(t, &e, fabricast.Record(folder))
	again, err := fabricast.LoadMachine(filepath.Join(folder, "experiment.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if again.Seed != 1 || again.Ranks != 4 {
		t.Errorf("seed %d, %d ranks", again.Seed, again.Ranks)
	}
}
