package engine

import "math"

// Neighbours are Processes of which only those whose parts of the model adjoin wait for each other
// in every window. All agree on something now and then, or while windows go on.
//
// What a process learns late has to bear it: a process executes a window as soon as it has what its
// neighbours sent in the one before, and learns meanwhile what all have agreed on after that one.
type Neighbours interface {
	Processes
	// Adjoin reports whether neighbours are enough. If not, all processes agree after each window.
	Adjoin() bool
	// Carry brings what blocks have sent in their last round to neighbours, and makes what these have
	// sent ready for Collect; of what is for other processes, it brings everything a step nearer. If
	// sound is false blocks have failed, and nothing is sent of them. Neighbours call it together.
	Carry(sound bool)
	// Settle brings everything to where it belongs. All processes call it.
	Settle()
	// StartLeast begins what Least does, and FinishLeast ends it. Carry may be called between them.
	StartLeast(values []int64)
	FinishLeast(values []int64)
	// Shortest returns how long windows may be (ps) whatever blocks do.
	Shortest() int64
}

// bounded is a Block that must not run windows from one on.
type bounded interface{ Bound() int64 }

// After denseAgreed agreements in a row that found work in the window that followed, the next window
// is begun before there is an agreement. An empty window is executed in vain then before the next gap
// is known. If windows never have to be shorter than they are, all agree after each second window
// once rareAgreed more agreements have found no gap, and so on up to each mostApart-th.
const (
	denseAgreed = 4
	rareAgreed  = 4
	mostApart   = 16
)

// agreement is how neighbours get from one window to the next. Its state is the same in all
// processes, but for what they pass to reductions.
type agreement struct {
	with    Neighbours
	values  [3]int64 // of a reduction: the next window, the lookahead, less why the run ends
	ran     bool     // a window has been executed of which nothing has been carried
	last    int64    // window executed last
	pending bool     // a reduction has been started and not finished
	since   int      // windows executed since the last reduction was started
	apart   int      // windows from one reduction to the next
	dense   int      // agreements in a row that found no gap
	fit     fit
}

// newAgreement returns how neighbours agree; nil if all processes agree after each window.
func newAgreement(p Processes, balancer Balancer) *agreement {
	with, ok := p.(Neighbours)
	if !ok || balancer != nil || !with.Adjoin() {
		return nil
	}
	return &agreement{with: with, apart: 1, ran: true} // blocks of a checkpoint have something to send
}

// next returns what all processes do next, and whether one is broken. own is what this one reports.
// Windows from bound on must not be executed.
func (a *agreement) next(own report, why, bound int64) (all report, broken bool) {
	if a.ran {
		a.with.Carry(why != isBroken)
		a.ran = false
		a.since++
	}
	for a.pending || !a.dares(bound) {
		var gap, late bool
		covered := a.since
		if a.pending {
			a.pending = false
			a.with.FinishLeast(a.values[:])
			// if the last window was empty, what was agreed on before it still holds
			gap = a.values[0] != a.last
			late = !gap
		} else {
			a.collect(own, why)
			a.with.Least(a.values[:])
			gap = a.values[0] != a.last+1
		}
		all = own
		all.next, all.lookahead, all.stop = a.values[0], a.values[1], a.values[2] < -goesOn
		if all.stop || all.next == math.MaxInt64 {
			return all, a.values[2] == -isBroken
		}
		a.fit.roomy += max(0, covered-1)
		if all.resize = a.fit.change(all.window, all.lookahead); all.resize {
			a.dense, a.apart = 0, 1
			return all, false
		}
		a.note(gap, all.window)
		if !late {
			return a.run(all, all.next), false
		}
	}
	if a.since >= a.apart {
		a.collect(own, why)
		a.with.StartLeast(a.values[:])
		a.pending = true
	}
	return a.run(own, a.last+1), false
}

// dares reports whether the window after the last one may be executed before it is known that there is
// something to do in it.
func (a *agreement) dares(bound int64) bool { return a.dense >= denseAgreed && a.last+1 < bound }

// collect makes the values of a reduction.
func (a *agreement) collect(own report, why int64) {
	a.values, a.since = [3]int64{own.next, own.lookahead, -why}, 0
}

// note takes note of whether windows without work have been found, at a length of windows (ps).
func (a *agreement) note(gap bool, window int64) {
	if gap {
		a.dense, a.apart = 0, 1
		return
	}
	a.dense++
	if a.dense >= denseAgreed+rareAgreed && a.apart < mostApart && window <= a.with.Shortest() {
		a.dense, a.apart = denseAgreed, 2*a.apart
	}
}

// run makes a window the next one.
func (a *agreement) run(all report, window int64) report {
	all.next, all.stop, all.resize = window, false, false
	a.ran, a.last = true, window
	return all
}
