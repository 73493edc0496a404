package ways

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fabricast"
	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/internal/cluster"
	"fabricast/internal/draws"
	"fabricast/internal/producttest"
	"fabricast/internal/run"
	"fabricast/mpi"
	"fabricast/replay"
)

// recordedParts is a program in Go, with communicators, waits of several kinds and collectives.
func recordedParts(r *mpi.Rank) {
	n, me := r.Size(), r.Rank()
	for i := range 12 {
		in := make([]byte, 900)
		qs := []mpi.Request{
			r.Irecv(mpi.Data(in), (me+n-1)%n, mpi.AnyTag),
			r.Isend(mpi.Data(make([]byte, 40+70*i)), (me+1)%n, i),
		}
		r.Compute(mpi.Duration(me*37%500) * mpi.Nanosecond)
		if _, done := r.Test(qs[0]); done {
			qs = qs[1:]
		}
		r.WaitAll(qs)
		c := r.Split(me%3, -me)
		c.Allreduce(mpi.Size(800), mpi.Size(800), collective.SumInt64, collective.Default)
		r.Barrier(collective.Default)
	}
}

// TestResumedTraces: traces of runs that are stopped again and again, and go on on other numbers of
// processes and workers, are those of runs that nothing stops, byte by byte.
func TestResumedTraces(t *testing.T) {
	seeds, stops := 0, 0
	for seed := range draws.Seeds(3, 200) {
		seeds++
		d := rand.New(rand.NewPCG(seed, 47))
		text := fmt.Sprintf("seed: %d\nnetwork: {topology: {dims: [4, 4]}}\nnode: {ranks: %d%s}\n",
			d.IntN(100), 1+d.IntN(2), producttest.One(d, "", ", protocol: {eager: 1KiB, rendezvous: read}"))
		inGo := d.IntN(2) == 0
		if !inGo {
			text += producttest.One(
				d, "workload: {program: alltoall, algorithm: bruck, size: 3KiB, iterations: 3}\n",
				"workload: {program: allreduce, size: 20KiB, iterations: 4}\n",
				"jobs:\n - {name: a, ranks: 8, workload: {program: alltoall, algorithm: ring, size: 3KiB}}\n"+
					" - {name: b, ranks: 7, workload: {program: allreduce, size: 8KiB}, start: 2us}\n",
			)
		}
		stops += tracesAgree(t, d, text, inGo)
	}
	if stops < seeds/2 {
		t.Errorf("%d stops in %d runs", stops, seeds)
	}
}

// tracesIn records a run of an experiment in a folder.
func tracesIn(
	e *fabricast.Experiment, folder string, group cluster.Group,
	run func(ctx context.Context, options ...fabricast.Option) (*fabricast.Result, error), ctx context.Context, options ...fabricast.Option,
) (*fabricast.Result, error) {
	recorders := map[string]*replay.Recorder{"": nil}
	if e.HasJobs() {
		recorders = map[string]*replay.Recorder{"a": nil, "b": nil}
	}
	for job := range recorders {
		r := replay.NewRecorders(1)
		r.Across(group)
		r.Native(filepath.Join(folder, job+"trace.fbt"), filepath.Dir(folder))
		r.OTF2(filepath.Join(folder, job+"traces"), filepath.Dir(folder))
		recorders[job] = r
		defer r.Abandon()
		options = append(options, fabricast.TracePrograms(job, r))
	}
	result, err := run(ctx, append(options, fabricast.Workers(1))...)
	if err != nil {
		return nil, err
	}
	for _, job := range []string{"", "a", "b"} { // all processes in the same order
		if r := recorders[job]; r != nil {
			err = errors.Join(err, r.Close())
		}
	}
	return result, err
}

// tracesAgree compares the traces of a run at once with those of one in stages. It returns how often the
// latter stopped.
func tracesAgree(t *testing.T, d *rand.Rand, text string, inGo bool) (stops int) {
	t.Helper()
	parsed := func() *fabricast.Experiment {
		if inGo {
			e, err := fabricast.Parse("e.yaml", text+"workload: {program: barrier}\n")
			if err != nil {
				t.Fatal(err)
			}
			e.Workload, e.Program = experiment.Workload{}, recordedParts
			return e
		}
		e, err := fabricast.Parse("e.yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	whole, stages := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "stages")
	e := parsed()
	if _, err := tracesIn(e, whole, nil, e.Run, t.Context(), fabricast.Record(whole)); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for resumes := false; ; {
		n := 1 + d.IntN(3)
		groups := cluster.Local(n)
		ctx, cancel := context.WithCancel(context.Background())
		hit := d.IntN(n)
		switch {
		case stops > 4:
		case n == 1:
			time.AfterFunc(time.Duration(d.IntN(8000))*time.Microsecond, cancel)
		default:
			groups[hit] = &counting{groups[hit], 1 << d.IntN(10), cancel}
		}
		errs := make([]error, n)
		var all sync.WaitGroup
		for p, group := range groups {
			all.Go(func() {
				own := context.Background()
				if p == hit {
					own = ctx
				}
				options := []fabricast.Option{run.Across(group), fabricast.Checkpoint(fabricast.Checkpoints{Blocks: 3})}
				e := parsed()
				if !resumes {
					_, errs[p] = tracesIn(e, stages, group, e.Run, own, append(options, fabricast.Record(stages))...)
					return
				}
				saved, err := fabricast.OpenCheckpoint(stages)
				if err != nil {
					errs[p] = err
					return
				}
				defer saved.Close()
				saved.Experiment.Program = e.Program
				_, errs[p] = tracesIn(e, stages, group, saved.Run, own, options...)
			})
		}
		all.Wait()
		cancel()
		var interrupted *fabricast.InterruptedError
		switch err := errs[0]; {
		case err != nil && strings.Contains(err.Error(), "being set up"):
			continue
		case errors.As(err, &interrupted):
			if interrupted.Checkpoint != "" {
				resumes = true
				stops++
			}
			continue
		case err != nil:
			t.Fatalf("after %d stops, on %d processes: %v\n%s", stops, n, err, text)
		}
		break
	}
	sameTraces(t, whole, stages, text)
	return stops
}

// sameTraces compares the traces in two folders.
func sameTraces(t *testing.T, whole, stages, text string) {
	t.Helper()
	found := 0
	err := filepath.WalkDir(whole, func(path string, entry os.DirEntry, err error) error {
		name, _ := filepath.Rel(whole, path)
		if err != nil || entry.IsDir() || !strings.Contains(name, "trace") {
			return err
		}
		found++
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if got, err := os.ReadFile(filepath.Join(stages, name)); err != nil || string(got) != string(want) {
			t.Errorf("%s is another: %v\n%s", name, err, text)
		}
		return nil
	})
	if err != nil || found < 3 {
		t.Errorf("%d files of traces: %v", found, err)
	}
}
