package mpi_test

import (
	"errors"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"fabricast/mpi"
	"fabricast/node"
)

// failure runs a program that must fail.
func failure(t *testing.T, ranks int, main func(*mpi.Rank)) error {
	t.Helper()
	w := runWith(t, testSpec(ranks), slow(), main)
	if w.Err() == nil {
		t.Fatal("the run did not fail")
	}
	return w.Err()
}

func TestErrorsNameTheRank(t *testing.T) {
	for _, c := range []struct {
		name string
		main func(*mpi.Rank)
		want string
	}{
		{"destination", func(r *mpi.Rank) { r.Send(mpi.Size(1), 2, 0) }, "rank 0 at 0 ps: send to rank 2 of a communicator with ranks 0 to 1"},
		{"tag", func(r *mpi.Rank) { r.Send(mpi.Size(1), 1, -1) }, "rank 0 at 0 ps: send with tag -1"},
		{"size", func(r *mpi.Rank) { r.Send(mpi.Size(-5), 1, 0) }, "message buffer of -5 bytes"},
		{"source", func(r *mpi.Rank) { r.Recv(mpi.Size(1), -2, 0) }, "receive from rank -2"},
		{"receive tag", func(r *mpi.Rank) { r.Iprobe(0, -7) }, "receive with tag -7"},
		{"compute", func(r *mpi.Rank) { r.Compute(-1) }, "compute for -1ps"},
		{"color", func(r *mpi.Rank) { r.Split(-3, 0) }, "split with color -3"},
		{"request", func(r *mpi.Rank) {
			q := r.Isend(mpi.Size(0), 1-r.Rank(), 0)
			r.Wait(q)
			r.Wait(q)
		}, "the request is not active"},
		{"request twice", func(r *mpi.Rank) {
			q := r.Irecv(mpi.Size(0), 0, 0)
			r.WaitAll([]mpi.Request{q, q})
		}, "the same request is named twice"},
		{"no such request", func(r *mpi.Rank) { r.Wait(mpi.Request{ID: 12345}) }, "the request is not active"},
		{"panic", func(r *mpi.Rank) {
			if r.Rank() == 1 {
				r.Compute(3 * mpi.Nanosecond)
				panic("out of coffee")
			}
			r.Recv(mpi.Size(0), 1, 0)
		}, "rank 1 at 3000 ps: out of coffee"},
		{"truncated", func(r *mpi.Rank) {
			if r.Rank() == 0 {
				r.Send(mpi.Size(11), 1, 9)
			} else {
				r.Recv(mpi.Size(10), 0, 9)
			}
		}, "rank 1 at 51033 ps: message truncated: 11 bytes from rank 0 with tag 9 do not fit into the 10 bytes that rank 1 receives into"},
		{"truncated late", func(r *mpi.Rank) {
			if r.Rank() == 0 {
				r.Send(mpi.Size(11), 1, 9)
			} else {
				r.Probe(0, 9)
				r.Recv(mpi.Size(10), 0, 9)
			}
		}, "message truncated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := failure(t, 2, c.main); !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestPanicKeepsItsValueAndPlace(t *testing.T) {
	cause := errors.New("cause")
	err := failure(t, 1, func(*mpi.Rank) { panic(cause) })
	var p node.PanicError
	if !errors.Is(err, cause) || !errors.As(err, &p) ||
		!strings.Contains(string(p.Stack), "TestPanicKeepsItsValueAndPlace") {
		t.Errorf("%v\n%s", err, p.Stack)
	}
}

func TestFirstErrorCounts(t *testing.T) {
	err := failure(t, 5, func(r *mpi.Rank) {
		if r.Rank() > 1 {
			panic("at once")
		}
		r.Recv(mpi.Size(0), 0, 0)
	})
	if !strings.HasPrefix(err.Error(), "rank 2 at 0 ps") {
		t.Error(err)
	}
}

func TestDeadlockNamesTheCycle(t *testing.T) {
	w := runWith(t, testSpec(5), slow(), func(r *mpi.Rank) {
		switch r.Rank() {
		case 0:
			r.Recv(mpi.Size(0), mpi.AnySource, 1)
		case 1, 2, 3:
			r.Compute(mpi.Nanosecond)
			r.Recv(mpi.Size(0), []int{0, 2, 3, 1}[r.Rank()], 7)
		}
	})
	var e *node.DeadlockError
	if err := w.Deadlock(); !errors.As(err, &e) {
		t.Fatal(err)
	}
	if e.Since != 1000 {
		t.Errorf("nothing goes on since %d ps, want 1 ns, when the last rank began to wait", e.Since)
	}
	for _, want := range []string{
		"4 of 5 ranks wait for ever (1 have ended)",
		"rank 0 at 0 ps waits for a message from any rank with tag 1",
		"rank 1 at 1 ns waits for a message from rank 2 with tag 7",
		"cycle: rank 1 waits for rank 2, which waits for rank 3, which waits for rank 1",
	} {
		if !strings.Contains(e.Error(), want) {
			t.Errorf("%v\nlacks %q", e, want)
		}
	}
}

func TestDeadlockInACommunicatorNamesWorldRanks(t *testing.T) {
	w := runWith(t, testSpec(4), slow(), func(r *mpi.Rank) {
		c := r.Split(r.Rank()%2, 0)
		if r.Rank() == 3 {
			c.Recv(mpi.Size(0), 0, mpi.AnyTag)
		}
		if r.Rank() == 2 {
			c.Probe(mpi.AnySource, 4)
		}
	})
	err := w.Deadlock()
	if err == nil || !strings.Contains(err.Error(), "rank 3 at ") ||
		!strings.Contains(err.Error(), "from rank 1, which has ended, with any tag") ||
		!strings.Contains(err.Error(), "probes for a message from any rank with tag 4") {
		t.Error(err)
	}
}

func TestLongCyclesAndListsAreCut(t *testing.T) {
	const ranks = 100
	w := runWith(t, testSpec(ranks), slow(), func(r *mpi.Rank) {
		r.Recv(mpi.Size(0), (r.Rank()+1)%ranks, 0)
	})
	err := w.Deadlock()
	if n := strings.Count(err.Error(), "\n"); n > 15 || len(err.Error()) > 2000 ||
		!strings.Contains(err.Error(), "and 90 more") {
		t.Error(err)
	}
}

// goroutines waits until the number of goroutines has come down to a limit:
// a coroutine's goroutine ends shortly after it has been released.
func goroutines(limit int) int {
	for range 200 {
		if runtime.NumGoroutine() <= limit {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return runtime.NumGoroutine()
}

func TestCoroutinesAreReleased(t *testing.T) {
	before := goroutines(2) // those of tests before this one end some time after them
	deferred := 0
	w := runWith(t, testSpec(500), slow(), func(r *mpi.Rank) {
		defer func() { deferred++ }()
		r.Recv(mpi.Size(0), mpi.AnySource, 0)
	})
	if runtime.NumGoroutine() < before+500 {
		t.Error("the ranks are not waiting")
	}
	w.Close()
	if n := goroutines(before); n > before || deferred != 500 {
		t.Errorf("%d goroutines, %d before; %d deferred calls ran", n, before, deferred)
	}
}

func TestStubbornProgramIsReleased(t *testing.T) {
	before := runtime.NumGoroutine()
	w := runWith(t, testSpec(1), slow(), func(r *mpi.Rank) {
		for range 3 {
			func() {
				defer func() { _ = recover() }()
				r.Recv(mpi.Size(0), 0, 0)
			}()
		}
	})
	w.Close()
	if n := goroutines(before); n > before {
		t.Errorf("%d goroutines, %d before", n, before)
	}
}

func TestCancelStopsARankThatNeverWaits(t *testing.T) {
	var w *node.World
	spec := testSpec(1)
	w, err := node.NewWorld(spec, mpi.Programs(func(r *mpi.Rank) {
		for i := 0; ; i++ {
			r.Compute(mpi.Nanosecond)
			if i == 5000 {
				w.Cancel()
			}
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	slow().Run(w, 1, 1)
	if w.Finished() != 0 || w.Err() != nil {
		t.Error("the rank has ended")
	}
}

func stumble(list []int, i int) int { return list[i] }

func TestPanicsNameTheirPlaceInTheProgram(t *testing.T) {
	place := func(err error) string {
		_, text, _ := strings.Cut(err.Error(), ", at ")
		return text
	}
	for _, c := range []struct {
		name string
		main func(*mpi.Rank)
		in   string
	}{
		{"in a function of the program", func(r *mpi.Rank) { stumble(nil, r.Rank()) }, "mpi_test.stumble"},
		{"in Go's library", func(r *mpi.Rank) { r.Compute(mpi.Duration(len(strings.Repeat("x", -1)))) }, "TestPanicsNameTheirPlaceInTheProgram.func"},
		{"in a call of the simulator", func(r *mpi.Rank) { r.Send(mpi.Size(1), 7, 0) }, "TestPanicsNameTheirPlaceInTheProgram.func"},
		{"in a collective", func(r *mpi.Rank) { r.Alltoall(mpi.Size(3), mpi.Size(3), "") }, "TestPanicsNameTheirPlaceInTheProgram.func"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := failure(t, 2, c.main)
			if !regexp.MustCompile(`^failure_test\.go:\d+ in fabricast/mpi_test\.`).MatchString(place(err)) ||
				!strings.Contains(err.Error(), c.in) {
				t.Errorf("%v, want the line of failure_test.go in %s", err, c.in)
			}
			if strings.Contains(err.Error(), "fabricast: ") {
				t.Errorf("%v", err)
			}
		})
	}
}
