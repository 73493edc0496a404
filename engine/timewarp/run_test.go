package timewarp_test

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"fabricast/engine"
	"fabricast/engine/timewarp"
	"fabricast/internal/cluster"
	"fabricast/internal/snapshot"
)

// hold is a part of the toy model PHOLD: jobs that go from part to part. A job of window w is
// handled there in an order that does not depend on how it came, and goes on to a part and a window
// that depend on all that the part has seen.
type hold struct {
	number, parts int
	local         uint64 // of 8 jobs, so many stay
	spread        uint64 // windows

	jobs    []job
	credits int64 // notes without effect on any window
	seen    uint64
	work    uint64

	out     [][]byte
	first   []int64
	breakAt int64 // panics in this window
	unsaved uint64
	last    int64 // window
	ballast []byte
	forgets bool // does not save all of its state
}

type job struct {
	window int64
	id     uint64
	left   int64
}

func (h *hold) Next() int64 {
	next := int64(math.MaxInt64)
	for i := range h.jobs {
		next = min(next, h.jobs[i].window)
	}
	return next
}

func mix(x uint64) uint64 {
	x ^= x >> 31
	x *= 0x9e3779b97f4a7c15
	return x ^ x>>29
}

func (h *hold) Run(window int64, _ uint64) {
	if window == h.breakAt {
		panic(errBroken)
	}
	h.last = window
	for to := range h.out {
		h.out[to], h.first[to] = h.out[to][:0], math.MaxInt64
	}
	var now []job
	h.jobs = slices.DeleteFunc(h.jobs, func(j job) bool {
		if j.window < window {
			panic(fmt.Errorf("part %d is in window %d and has a job of window %d", h.number, window, j.window))
		}
		if j.window == window {
			now = append(now, j)
		}
		return j.window == window
	})
	slices.SortFunc(now, func(a, b job) int { return cmp.Compare(a.id, b.id) })
	for _, j := range now {
		h.handle(j)
	}
}

func (h *hold) handle(j job) {
	h.work++
	h.unsaved++
	h.seen = mix(h.seen ^ mix(j.id+uint64(j.window)<<20))
	if h.forgets {
		h.seen ^= h.unsaved
	}
	if j.left == 0 {
		return
	}
	draw := mix(h.seen + j.id)
	next := job{j.window + 1 + int64(draw>>8%h.spread), j.id, j.left - 1}
	to := h.number
	if draw&7 >= h.local {
		to = int(draw >> 40 % uint64(h.parts))
	}
	if to == h.number {
		h.jobs = append(h.jobs, next)
		return
	}
	h.post(to, next)
	h.first[to] = min(h.first[to], next.window)
	if back := int(j.id) % h.parts; draw>>50&3 == 0 && back != h.number {
		h.post(back, job{note, draw >> 48, 0})
	}
}

// note is the window of what has no effect on any window.
const note = 1 << 40

func (h *hold) post(to int, j job) {
	for _, v := range []uint64{uint64(j.window), j.id, uint64(j.left)} {
		h.out[to] = binary.LittleEndian.AppendUint64(h.out[to], v)
	}
}

func (h *hold) Sent(to int) int64 { return h.first[to] }

func (h *hold) Packed(to int) []byte { return h.out[to] }

func (h *hold) Receive(_ int, data []byte) {
	for ; len(data) > 0; data = data[24:] {
		j := job{
			int64(binary.LittleEndian.Uint64(data)), binary.LittleEndian.Uint64(data[8:]),
			int64(binary.LittleEndian.Uint64(data[16:])),
		}
		if j.window == note {
			h.credits += int64(j.id)
			continue
		}
		h.jobs = append(h.jobs, j)
	}
}

func (h *hold) Work() uint64    { return h.work }
func (h *hold) Packets() uint64 { return 2 * h.work }

func (h *hold) State(v *snapshot.Visitor) {
	snapshot.List(v, &h.jobs)
	snapshot.Value(v, &h.credits)
	snapshot.Value(v, &h.seen)
	snapshot.Value(v, &h.work)
	snapshot.Value(v, &h.last)
	snapshot.Values(v, h.ballast)
}

var errBroken = errors.New("broken on purpose")

// load is a random PHOLD.
type load struct{ parts, jobs, hops, local, spread, ballast int }

func drawLoad(t *rapid.T, parts int) load {
	return load{
		parts: parts, jobs: rapid.IntRange(1, 12).Draw(t, "jobs"), hops: rapid.IntRange(1, 120).Draw(t, "hops"),
		ballast: rapid.SampledFrom([]int{0, 10_000, 100_000}).Draw(t, "ballast"),
		local:   rapid.IntRange(0, 8).Draw(t, "local"), spread: rapid.IntRange(1, 30).Draw(t, "spread"),
	}
}

// holds returns the parts from first to end-1.
func (l load) holds(first, end int) (all []*hold, parts []timewarp.Part) {
	for n := first; n < end; n++ {
		h := &hold{
			number: n, parts: l.parts, local: uint64(l.local), spread: uint64(l.spread),
			out: make([][]byte, l.parts), first: make([]int64, l.parts), breakAt: -1,
			ballast: make([]byte, l.ballast),
		}
		for i := range l.jobs {
			h.jobs = append(h.jobs, job{int64(mix(uint64(n*l.jobs+i)) % 7), uint64(n*l.jobs + i), int64(l.hops)})
		}
		all, parts = append(all, h), append(parts, h)
	}
	return all, parts
}

// outcome is what does not depend on how a model is run.
type outcome struct {
	seen, work uint64
	credits    int64
}

func outcomes(all []*hold) (list []outcome) {
	for _, h := range all {
		list = append(list, outcome{h.seen, h.work, h.credits})
	}
	return list
}

// inOrder runs parts window by window.
func inOrder(all []*hold) (windows uint64) {
	for {
		next := int64(math.MaxInt64)
		for _, h := range all {
			next = min(next, h.Next())
		}
		if next == math.MaxInt64 {
			return windows
		}
		for _, h := range all {
			if h.Next() == next {
				windows++
			}
			h.Run(next, 0)
		}
		for _, h := range all {
			for to, data := range h.out {
				all[to].Receive(h.number, data)
				h.out[to] = h.out[to][:0]
			}
		}
	}
}

// TestIsExact: parts end in the state that they have when they are run window by window,
// whatever workers, processes, batches and intervals, and pauses on the way.
func TestIsExact(t *testing.T) {
	var total timewarp.Cost
	rapid.Check(t, func(t *rapid.T) {
		processes := rapid.IntRange(1, 3).Draw(t, "processes")
		each := rapid.IntRange(1, 5).Draw(t, "parts")
		l := drawLoad(t, each*processes)
		all, _ := l.holds(0, l.parts)
		windows := inOrder(all)
		want := outcomes(all)
		o := timewarp.Options{
			Batch:    rapid.SampledFrom([]int{1, 2, 5, 16, 300}).Draw(t, "batch"),
			Interval: rapid.IntRange(1, 40).Draw(t, "interval"),
			Static:   rapid.IntRange(0, 2).Draw(t, "static") > 0,
		}
		var pauses []int64
		for range rapid.IntRange(0, 3).Draw(t, "pauses") {
			pauses = append(pauses, int64(rapid.IntRange(1, 500).Draw(t, "pause")))
		}
		slices.Sort(pauses)
		got, warp, err := inProcesses(l, each, processes, o, rapid.IntRange(1, 3).Draw(t, "workers"), pauses)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("part %d: %+v, in order %+v", i, got[i], want[i])
			}
		}
		if warp.Committed != windows {
			t.Errorf("%d windows committed, in order %d", warp.Committed, windows)
		}
		total.Add(&warp)
	})
	if total.RolledBack == 0 || total.Stragglers == 0 || total.Cancelled == 0 || total.Confirmed == 0 ||
		total.Coasted == 0 || total.Saves == 0 {
		t.Errorf("some of what was to be tested did not happen: %+v", total)
	}
	t.Logf("%+v", total)
}

// inProcesses runs a load by Time Warp in processes with so many parts each. It pauses before the
// windows given, where no part may have gone beyond.
func inProcesses(
	l load, each, n int, o timewarp.Options, workers int, pauses []int64,
) (got []outcome, total timewarp.Cost, err error) {
	groups := cluster.Local(n)
	lists, warps, errs := make([][]outcome, n), make([]timewarp.Cost, n), make([]error, n)
	var wg sync.WaitGroup
	for p := range n {
		wg.Go(func() {
			all, parts := l.holds(p*each, (p+1)*each)
			own := o
			own.Group = groups[p]
			own.Throttle = new(timewarp.Throttle)
			for _, own.Until = range append(slices.Clone(pauses), 0) {
				warp, err := timewarp.Run(parts, workers, new(atomic.Bool), own)
				warps[p].Then(&warp)
				errs[p] = errors.Join(errs[p], err)
				for _, h := range all {
					if next := h.Next(); next < own.Until || own.Until > 0 && h.last >= own.Until {
						errs[p] = fmt.Errorf("part %d pauses in window %d before %d, next is %d",
							h.number, h.last, own.Until, next)
					}
				}
			}
			lists[p] = outcomes(all)
		})
	}
	wg.Wait()
	for p := range n {
		got = append(got, lists[p]...)
		total.Add(&warps[p])
	}
	return got, total, errors.Join(errs...)
}

// TestChecks: each window is executed twice, and what is not saved is noticed.
func TestChecks(t *testing.T) {
	l := load{parts: 3, jobs: 4, hops: 20, local: 4, spread: 5}
	all, _ := l.holds(0, l.parts)
	inOrder(all)
	want := outcomes(all)
	for _, forgets := range []bool{false, true} {
		all, parts := l.holds(0, l.parts)
		all[1].forgets = forgets
		_, err := timewarp.Run(parts, 1, new(atomic.Bool), timewarp.Options{Batch: 4, Check: true})
		if forgets {
			if err == nil || !strings.Contains(err.Error(), "part 1, window") {
				t.Errorf("a part that does not save all its state: %v", err)
			}
			continue
		}
		if err != nil || !slices.Equal(outcomes(all), want) {
			t.Errorf("%v: %+v, in order %+v", err, outcomes(all), want)
		}
	}
}

// TestPanics: a panic in a window that stands ends the run in all processes; one in a
// window that is undone does not.
func TestPanics(t *testing.T) {
	l := load{parts: 4, jobs: 4, hops: 60, local: 4, spread: 5}
	for n := 1; n <= 2; n++ {
		groups, errs := cluster.Local(n), make([]error, n)
		var wg sync.WaitGroup
		for p := range n {
			wg.Go(func() {
				all, parts := l.holds(p*4/n, (p+1)*4/n)
				if p == 0 {
					all[1].breakAt = all[1].Next() + 20
					for all[1].breakAt%3 != 0 {
						all[1].breakAt++
					}
				}
				_, errs[p] = timewarp.Run(parts, 2, new(atomic.Bool), timewarp.Options{Batch: 50, Group: groups[p]})
			})
		}
		wg.Wait()
		var fault *engine.Fault
		if !errors.As(errs[0], &fault) || !errors.Is(errs[0], errBroken) || len(fault.Stack) == 0 {
			t.Errorf("%d processes: %v", n, errs[0])
		}
		if n > 1 && !errors.Is(errs[1], engine.ErrElsewhere) {
			t.Errorf("the other process: %v", errs[1])
		}
	}
}

// TestStops: a run that is stopped leaves all parts at one window, GVT.
func TestStops(t *testing.T) {
	l := load{parts: 4, jobs: 4, hops: 1 << 40, local: 6, spread: 5}
	var stop atomic.Bool
	all, parts := l.holds(0, l.parts)
	last := int64(0)
	_, err := timewarp.Run(parts, 2, &stop, timewarp.Options{Batch: 20, Interval: 3, GVT: func(gvt int64) {
		if gvt < last {
			t.Errorf("GVT goes back from %d to %d", last, gvt)
		}
		if last = gvt; gvt > 300 {
			stop.Store(true)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	again, _ := l.holds(0, l.parts)
	for {
		next := int64(math.MaxInt64)
		for _, h := range again {
			next = min(next, h.Next())
		}
		if next >= last {
			break
		}
		for _, h := range again {
			h.Run(next, 0)
		}
		for _, h := range again {
			for to, data := range h.out {
				again[to].Receive(h.number, data)
				h.out[to] = h.out[to][:0]
			}
		}
	}
	for i := range again {
		if all[i].seen != again[i].seen || all[i].work != again[i].work {
			t.Errorf("part %d: %x after %d, in order %x after %d",
				i, all[i].seen, all[i].work, again[i].seen, again[i].work)
		}
	}
}
