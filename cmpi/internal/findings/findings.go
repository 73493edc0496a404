// Package findings holds what comes of the ranks of a run, of one process or of several.
package findings

import (
	"slices"

	"fabricast/cmpi/internal/host"
)

// Findings is what a process has found out about ranks that have ended.
type Findings struct {
	Exits   Exits
	Pending Leaks
	// Unfinished are ranks that ended normally without MPI_Finalize.
	Unfinished Group
	// Mismatches are those of datatypes.
	Mismatches []host.Mismatch
}

// Exits collects the nonzero exit codes of ranks. That of the lowest rank counts.
type Exits struct{ Rank, Code, Count int }

// Group counts ranks and holds the lowest of them.
type Group struct{ Ranks, First int }

// Leaks counts requests that were never completed, and the ranks they belong to.
type Leaks struct {
	Requests int
	Of       Group
}

// Add adds the exit codes of others.
func (e *Exits) Add(o Exits) {
	if o.Count > 0 && (e.Count == 0 || o.Rank < e.Rank) {
		e.Rank, e.Code = o.Rank, o.Code
	}
	e.Count += o.Count
}

// Add adds other ranks.
func (g *Group) Add(o Group) {
	if o.Ranks > 0 && (g.Ranks == 0 || o.First < g.First) {
		g.First = o.First
	}
	g.Ranks += o.Ranks
}

// Add adds the requests of other ranks.
func (l *Leaks) Add(o Leaks) {
	l.Requests += o.Requests
	l.Of.Add(o.Of)
}

// Add adds what another process has found out.
func (f *Findings) Add(o *Findings) {
	f.Exits.Add(o.Exits)
	f.Pending.Add(o.Pending)
	f.Unfinished.Add(o.Unfinished)
	f.Mismatches = append(f.Mismatches, o.Mismatches...)
}

// Joined puts mismatches of one place together that several processes have found.
func Joined(found []host.Mismatch) (list []host.Mismatch) {
	for _, m := range found {
		i := slices.IndexFunc(list, func(x host.Mismatch) bool { return x.Key == m.Key })
		if i < 0 {
			list = append(list, m)
			continue
		}
		times := list[i].Times + m.Times
		if m.Rank < list[i].Rank {
			list[i] = m
		}
		list[i].Times = times
	}
	return list
}
