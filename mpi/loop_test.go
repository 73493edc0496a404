package mpi_test

import (
	"errors"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"fabricast/collective"
	"fabricast/mpi"
	"fabricast/node"
)

// runLoop runs a loop on ranks with a slow network.
func runLoop(t *testing.T, ranks int, loop *mpi.Loop) *node.World {
	t.Helper()
	w, err := node.NewWorld(testSpec(ranks), loop.Programs())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	slow().Run(w, ranks, 1)
	return w
}

// around passes a message around a ring of ranks n times, and computes.
func around(n int) *mpi.Loop {
	return &mpi.Loop{Body: func(r *mpi.Rank, i int, _ []mpi.Request) bool {
		ranks := r.Size()
		r.Sendrecv(mpi.Size(8), (r.Rank()+1)%ranks, i, mpi.Size(8), (r.Rank()+ranks-1)%ranks, i)
		r.Compute(mpi.Nanosecond)
		r.Barrier("")
		return i+1 < n
	}}
}

// quietGoroutines counts goroutines as the test begins. It keeps the garbage collector from
// running: while that gives back the stacks of goroutines that have ended, the runtime counts these
// once more.
func quietGoroutines(t *testing.T) int {
	runtime.GC()
	percent := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
	return runtime.NumGoroutine()
}

func TestLoopNeedsNoCoroutines(t *testing.T) {
	before := quietGoroutines(t)
	most := 0
	loop := around(5)
	body := loop.Body
	loop.Body = func(r *mpi.Rank, i int, open []mpi.Request) bool {
		most = max(most, runtime.NumGoroutine())
		return body(r, i, open)
	}
	w := runLoop(t, 100, loop)
	if w.Finished() != 100 || w.Stats().Messages != 100*5*(1+7) {
		t.Errorf("%d ranks finished, %d messages", w.Finished(), w.Stats().Messages)
	}
	if most > before {
		t.Errorf("%d goroutines, %d before", most, before)
	}
}

// A rank of an algorithm with very many rounds goes from one to the next without
// coming by those before, so that there may be as many as there are ranks.
func TestRoundsArePassedOver(t *testing.T) {
	const ranks = 300
	before, most, calls := quietGoroutines(t), 0, 0
	w := runLoop(t, ranks, &mpi.Loop{Body: func(r *mpi.Rank, _ int, _ []mpi.Request) bool {
		most = max(most, runtime.NumGoroutine())
		for k := r.Round(0, ranks-1); k < ranks-1; k = r.Round(k+1, ranks-1) {
			calls++
			r.Sendrecv(mpi.Size(8), (r.Rank()+1)%ranks, k, mpi.Size(8), (r.Rank()+ranks-1)%ranks, k)
		}
		r.Barrier(collective.Ring)
		return false
	}})
	if w.Finished() != ranks || w.Stats().Messages != 2*ranks*(ranks-1) {
		t.Errorf("%d ranks finished, %d messages", w.Finished(), w.Stats().Messages)
	}
	if most > before || calls != ranks*(ranks-1) {
		t.Errorf("%d goroutines, %d before; %d rounds of %d ranks were begun", most, before, calls, ranks)
	}
}

func TestLongIterationsBecomeCoroutines(t *testing.T) {
	calls := 0
	w := runLoop(t, 2, &mpi.Loop{Body: func(r *mpi.Rank, _ int, _ []mpi.Request) bool {
		calls++
		for range 500 {
			r.Sendrecv(mpi.Size(8), 1-r.Rank(), 0, mpi.Size(8), 1-r.Rank(), 0)
		}
		return false
	}})
	if w.Finished() != 2 || calls > 3 {
		t.Errorf("%d ranks finished; the body of one iteration ran %d times", w.Finished(), calls)
	}
}

func TestLoopWithoutWaitsEnds(t *testing.T) {
	w := runLoop(t, 1, &mpi.Loop{Body: func(r *mpi.Rank, i int, _ []mpi.Request) bool {
		r.Compute(mpi.Nanosecond)
		return i+1 < 10_000
	}})
	if w.Finished() != 1 || w.Record(0).Compute != 10_000_000 {
		t.Errorf("%+v", w.Record(0))
	}
}

func TestLoopThatAsksForAnOutcomeFails(t *testing.T) {
	for name, ask := range map[string]func(r *mpi.Rank){
		"test":   func(r *mpi.Rank) { r.Test(mpi.Request{}) },
		"probe":  func(r *mpi.Rank) { r.Probe(0, 0) },
		"iprobe": func(r *mpi.Rank) { r.Iprobe(0, 0) },
		"split":  func(r *mpi.Rank) { r.Split(0, 0) },
	} {
		w := runLoop(t, 2, &mpi.Loop{Body: func(r *mpi.Rank, i int, _ []mpi.Request) bool {
			if i > 10 { // as late as nobody looks ahead
				ask(r)
			}
			return i <= 10
		}})
		if w.Err() == nil || !strings.Contains(w.Err().Error(), "asks for an outcome") {
			t.Errorf("%s: %v", name, w.Err())
		}
	}
}

func TestLoopThatIsLongerThanItLookedFails(t *testing.T) {
	w := runLoop(t, 2, &mpi.Loop{Body: func(r *mpi.Rank, _ int, _ []mpi.Request) bool {
		if r.Rank() == 1 {
			for range 5000 {
				r.Compute(mpi.Nanosecond)
			}
		}
		return false
	}})
	if w.Err() == nil ||
		!strings.Contains(w.Err().Error(), "too many operations between two calls that block") {
		t.Error(w.Err())
	}
}

func TestLoopThatPanicsNamesTheRank(t *testing.T) {
	cause := errors.New("cause")
	w := runLoop(t, 3, &mpi.Loop{Body: func(r *mpi.Rank, _ int, _ []mpi.Request) bool {
		if r.Rank() == 2 {
			panic(cause)
		}
		return false
	}})
	var e *node.RankError
	if !errors.As(w.Err(), &e) || e.Rank != 2 || !errors.Is(e, cause) {
		t.Error(w.Err())
	}
}

func TestDeadlockOfLoopsIsExplained(t *testing.T) {
	w := runLoop(t, 2, &mpi.Loop{Body: func(r *mpi.Rank, _ int, _ []mpi.Request) bool {
		r.Recv(mpi.Size(0), 1-r.Rank(), 7)
		return false
	}})
	if err := w.Deadlock(); err == nil ||
		!strings.Contains(err.Error(), "cycle: rank 0 waits for rank 1, which waits for rank 0") {
		t.Error(err)
	}
}
