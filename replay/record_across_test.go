package replay_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"fabricast"
	"fabricast/internal/cluster"
	shared "fabricast/internal/run"
	"fabricast/replay"
	"fabricast/workload"
)

// TestRecordAcross checks that the recorded traces of a run are identical for any number of workers
// and processes. Goroutines represent the processes.
func TestRecordAcross(t *testing.T) {
	names := slices.DeleteFunc(workload.Names(), func(name string) bool { return name == "recorded" })
	done := 0
	for seed := uint64(1); done < drawn()/2; seed++ {
		draw := func() fabricast.Experiment {
			random := rand.New(rand.NewPCG(seed, 6))
			return anyExperiment(random, names[random.IntN(len(names))], false)
		}
		random := rand.New(rand.NewPCG(seed, 7))
		want, err := recordedBy(t, draw, 1, 1)
		var config *fabricast.ConfigError
		if errors.As(err, &config) {
			continue // the program does not support this number of ranks
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		done++
		for _, shape := range [][2]int{{1, 2 + random.IntN(2)}, {2 + random.IntN(3), 1 + random.IntN(2)}} {
			got, err := recordedBy(t, draw, shape[0], shape[1])
			if err != nil {
				t.Fatalf("seed %d, %d processes of %d workers: %v", seed, shape[0], shape[1], err)
			}
			if len(got) != len(want) {
				t.Errorf("seed %d: %d files, expected %d", seed, len(got), len(want))
			}
			for name := range want {
				if !bytes.Equal(got[name], want[name]) {
					t.Errorf("seed %d, %d processes of %d workers: %s is another: %+v",
						seed, shape[0], shape[1], name, draw())
				}
			}
		}
	}
}

// recordedBy returns the trace files recorded by n processes.
func recordedBy(
	t *testing.T, draw func() fabricast.Experiment, n, workers int,
) (map[string][]byte, error) {
	t.Helper()
	folder := t.TempDir()
	errs := make([]error, n)
	var wg sync.WaitGroup
	for p, group := range cluster.Local(n) {
		wg.Go(func() {
			recorder := replay.NewRecorders(0)
			recorder.Across(group)
			recorder.Native(filepath.Join(folder, "run.fbt"), folder)
			recorder.OTF2(filepath.Join(folder, "run.otf2"), folder)
			e := draw()
			_, errs[p] = e.Run(
				context.Background(), fabricast.WrapPrograms(recorder.Wrap), fabricast.Workers(workers),
				shared.Across(group),
			)
			if errs[p] == nil {
				errs[p] = recorder.Close()
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	return files, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(folder, path)
		files[name], err = os.ReadFile(path)
		return err
	})
}
