package run

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fabricast/experiment"
	"fabricast/internal/checkpoint"
	"fabricast/internal/cluster"
	"fabricast/internal/draws"
	"fabricast/internal/failure"
)

// stopsAfter is a group that interrupts the run after the given number of exchanges.
type stopsAfter struct {
	cluster.Group
	left      int
	interrupt func()
}

func (s *stopsAfter) meet() {
	if s.left--; s.left == 0 {
		s.interrupt()
		time.Sleep(time.Millisecond) // until the interruption is noticed
	}
}

func (s *stopsAfter) Least(values []int64) {
	s.meet()
	s.Group.Least(values)
}

func (s *stopsAfter) Swap(to [][]byte) [][]byte {
	s.meet()
	return s.Group.Swap(to)
}

func (s *stopsAfter) Trade(with []int, to [][]byte) [][]byte {
	s.meet()
	return s.Group.Trade(with, to)
}

// stageGo runs or resumes a drawn program on n processes until it ends or one process is
// interrupted. Goroutines take the place of processes. In half of the cases each process
// synchronizes only with its neighbours.
func stageGo(
	t *testing.T, d *rand.Rand, text string, p *drawn, folder string, n, blocks int, resumes, last bool,
) (*Result, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	groups := cluster.Local(n)
	hit, workers, after := d.IntN(n), 1+d.IntN(2), 1<<d.IntN(12)
	switch {
	case last:
	case n == 1:
		defer time.AfterFunc(time.Duration(d.IntN(20000))*time.Microsecond, cancel).Stop()
	default:
		groups[hit] = &stopsAfter{groups[hit], after, cancel}
	}
	p.sums = make([]uint64, resolved(t, text+"workload: {program: barrier}\n").Ranks)
	results, errs := make([]*Result, n), make([]error, n)
	var all sync.WaitGroup
	for i, group := range groups {
		all.Go(func() {
			own := context.Background()
			if i == hit {
				own = ctx
			}
			e := resolved(t, text+"workload: {program: barrier}\n")
			e.Workload = experiment.Workload{}
			e.Program = p.main
			if len(text)%2 == 1 {
				e.Engine.Sync = experiment.SyncNeighbours
			}
			options := []Option{
				Across(group), Workers(workers), Record(folder), Checkpoint(Checkpoints{Blocks: blocks}),
			}
			if resumes {
				from, err := checkpoint.Open(filepath.Join(folder, checkpoint.Name))
				if err != nil {
					t.Error(err)
					return
				}
				defer from.Close()
				options = append(options, Resume(from))
			}
			results[i], errs[i] = Run(own, e, options...)
		})
	}
	all.Wait()
	for i, err := range errs {
		if (err == nil) != (errs[0] == nil) {
			t.Fatalf("process %d ends with %v, the first with %v\n%s", i, err, errs[0], text)
		}
	}
	return results[0], errs[0]
}

// TestResumedGoAcross stops a program in Go again and again, and resumes it each time on another
// number of processes and workers. It must end with the result, tables and message contents of an
// uninterrupted run.
func TestResumedGoAcross(t *testing.T) {
	seeds, stops := 0, 0
	for seed := range draws.Seeds(5, 120) {
		seeds++
		d := rand.New(rand.NewPCG(seed, 43))
		text, names := drawGo(d)
		names = slices.DeleteFunc(names, func(name string) bool { return name == "window" }) // works only in one process
		p := &drawn{seed: seed}
		for _, name := range names {
			p.phases = append(p.phases, allPhases[name])
		}
		text += "record: {messages: true, bins: {interval: 1us}}\n# " + strings.Join(names, " ") + "\n"
		whole, stages := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "stages")
		e := resolved(t, text+"workload: {program: barrier}\n")
		e.Workload, p.sums = experiment.Workload{}, make([]uint64, e.Ranks)
		e.Program = p.main
		want, err := Run(context.Background(), e, Workers(1), Record(whole))
		if err != nil {
			t.Fatalf("%d: %v\n%s", seed, err, text)
		}
		sums := p.sums
		const blocks = 4
		resumes := false
		for stopped := 0; ; {
			n := 1 + d.IntN(blocks)
			got, err := stageGo(t, d, text, p, stages, n, blocks, resumes, stopped > 5)
			var interrupted *failure.InterruptedError
			switch {
			case err != nil && strings.Contains(err.Error(), "being set up"):
				continue
			case errors.As(err, &interrupted):
				if interrupted.Checkpoint != "" {
					resumes = true
					stops++
				}
				stopped++
				continue
			}
			if err != nil {
				t.Fatalf("%d: after %d stops, on %d processes: %v\n%s", seed, stopped, n, err, text)
			}
			if a, b := sameAcross(got), sameAcross(want); a != b || !slices.Equal(p.sums, sums) {
				t.Fatalf("%d: after %d stops, on %d processes:\n%s %x\nat once:\n%s %x\n%s",
					seed, stopped, n, a, p.sums, b, sums, text)
			}
			break
		}
		for _, name := range []string{"messages.parquet", "links.parquet", "ranks.parquet"} {
			a, errA := os.ReadFile(filepath.Join(whole, name))
			b, errB := os.ReadFile(filepath.Join(stages, name))
			if string(a) != string(b) || errA != nil || errB != nil {
				t.Errorf("%d: %s is another: %v, %v\n%s", seed, name, errA, errB, text)
			}
		}
	}
	if 2*stops < seeds && !testing.Short() {
		t.Errorf("%d stops in %d runs", stops, seeds)
	}
	t.Logf("%d stops of %d runs", stops, seeds)
}

// sameAcross returns the part of a result that must depend neither on interruptions nor on
// processes.
func sameAcross(r *Result) string {
	c := *r
	c.Processes = 0
	return same(&c)
}
