package ways

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fabricast"
	"fabricast/internal/cluster"
	"fabricast/internal/producttest"
	"fabricast/internal/run"
)

// stagedBlocks is into how many blocks runs in stages are divided.
const stagedBlocks = 4

// notResumed reports whether an experiment was refused because so many processes cannot share it, or it
// has fewer routers than there are blocks.
func notResumed(err error) bool {
	return producttest.NeedsOneProcess(err) || strings.Contains(err.Error(), "(--blocks), expected at most")
}

// inStages runs an experiment that is interrupted again and again, in other processes and with other
// workers each time. It returns how often it stopped.
func inStages(t *testing.T, d *rand.Rand, x *drawn, engine string) (string, int, error) {
	s := stages{
		x: x, engine: engine, folder: filepath.Join(t.TempDir(), "stages"), took: x.took,
	}
	for {
		n := 1 + d.IntN(stagedBlocks)
		r, err := s.next(d, n)
		if err != nil && (producttest.NeedsOneProcess(err) || strings.Contains(err.Error(), "expected a number by which")) {
			r, err = s.next(d, 1)
		}
		var interrupted *fabricast.InterruptedError
		switch {
		case errors.As(err, &interrupted):
			if interrupted.Checkpoint != "" {
				s.stops++
			}
		case err != nil && strings.Contains(err.Error(), "being set up"):
		case err != nil:
			return "", s.stops, err
		default:
			different, err := x.difference(r, s.folder, engine)
			return different, s.stops, err
		}
	}
}

// stages are the parts of a run that is interrupted.
type stages struct {
	x              *drawn
	engine, folder string
	took           time.Duration // about, without interruption
	stops          int           // so far, each with a checkpoint
}

// next runs the experiment in n processes until it is interrupted in one of them, or goes on with it. A
// run that has stopped often is not interrupted any more.
func (s *stages) next(d *rand.Rand, n int) (first *fabricast.Result, err error) {
	workers, hit, left := 1+d.IntN(2), d.IntN(n), 1<<d.IntN(12)
	after := time.Duration(d.Float64() * float64(s.took))
	if s.stops > 6 {
		left, after = 0, 0
	}
	return s.inProcesses(n, workers, hit, left, after)
}

// inProcesses runs the experiment in n processes, until process `hit` has agreed so often with others, or
// the time `after` has passed in a single process. 0 is for never.
func (s *stages) inProcesses(n, workers, hit, left int, after time.Duration) (first *fabricast.Result, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if n == 1 && after > 0 {
		defer time.AfterFunc(after, cancel).Stop()
	}
	err = producttest.InProcesses(n, func(p int, group cluster.Group) error {
		own := context.Background()
		if p == hit {
			own, group = ctx, &counting{group, left, cancel}
		}
		r, err := s.goOn(own, run.Across(group), fabricast.Workers(workers))
		if p == 0 {
			first = r
		}
		return err
	})
	return first, err
}

// goOn begins the run, or goes on with it from its checkpoint.
func (s *stages) goOn(ctx context.Context, options ...fabricast.Option) (*fabricast.Result, error) {
	options = append(options, fabricast.Checkpoint(fabricast.Checkpoints{Blocks: stagedBlocks}))
	if s.stops == 0 {
		e, err := s.x.parse(s.engine)
		if err != nil {
			return nil, err
		}
		return e.Run(ctx, append(options, fabricast.Record(s.folder))...)
	}
	saved, err := fabricast.OpenCheckpoint(s.folder)
	if err != nil {
		return nil, err
	}
	defer saved.Close()
	saved.Experiment.Network.Doors = s.x.doors
	return saved.Run(ctx, options...)
}

// counting is a group that interrupts the run when it has agreed, or ended a window, so often.
type counting struct {
	cluster.Group
	left      int
	interrupt func()
}

func (c *counting) Least(values []int64) {
	c.count()
	c.Group.Least(values)
}

func (c *counting) Swap(to [][]byte) [][]byte {
	c.count()
	return c.Group.Swap(to)
}

func (c *counting) Trade(with []int, to [][]byte) [][]byte {
	c.count()
	return c.Group.Trade(with, to)
}

func (c *counting) Exchange(to [][]byte) [][]byte {
	c.count()
	return c.Group.Exchange(to)
}

func (c *counting) count() {
	if c.left--; c.left == 0 {
		c.interrupt()
		time.Sleep(time.Millisecond) // until it is noticed
	}
}

// TestKeptBackAcrossProcesses stops a run in which messages overtake others while some of them wait in memory
// for their turn, in the copies of another process than their sender's.
func TestKeptBackAcrossProcesses(t *testing.T) {
	x := refer(t, `
network:
  topology: {kind: dragonfly, p: 1, a: 3, h: 1}
  routing: valiant
  router: {buffer: 1KiB}
partition: linear
seed: 75
jobs:
  - workload: {program: uniform, size: 1KiB, messages: 7}
    ranks: 14
    per_node: 2
    placement: {order: random-groups, group: 3}
    seed: 63
`, false)
	const engine = "engine: {mode: optimistic, batch: 5, gvt_interval: 23, kp: 4, throttle: static}\n"
	const fewest = 92
	for left := fewest; left <= 113; left += 7 {
		s := stages{x: x, engine: engine, folder: filepath.Join(t.TempDir(), "stages")}
		run := func(left int) (*fabricast.Result, error) { return s.inProcesses(2, 1, 0, left, 0) }
		_, err := run(left)
		var interrupted *fabricast.InterruptedError
		if err == nil && left > fewest { // how many agreements it takes depends on the machine
			continue
		}
		if !errors.As(err, &interrupted) || interrupted.Checkpoint == "" {
			t.Fatalf("after %d agreements: found %v, expected an interruption with a checkpoint", left, err)
		}
		s.stops++
		r, err := run(0)
		if err != nil {
			t.Errorf("after %d agreements: %v", left, err)
			continue
		}
		if different, err := x.difference(r, s.folder, engine); err != nil || different != "" {
			t.Errorf("after %d agreements: %v %v", left, different, err)
		}
	}
}
