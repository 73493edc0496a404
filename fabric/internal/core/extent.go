package core

import (
	"iter"

	"fabricast/fabric/model"
	"fabricast/internal/snapshot"
)

// Extent is the share of a run of consecutive routers in the arrays that are common to all blocks.
type Extent struct {
	First, Count       uint32 // first router, and number of routers
	Ports, EndPorts    uint32
	VCs, EndVCs        uint32
	Hosts              []HostRun
	timers, endTimers  uint32
	masks, endMasks    uint32
	Ghosts, CountGhost uint32
}

// Extent returns the share of the given routers, without ghost VCs, which represent VCs of other
// blocks.
func (l *Layout) Extent(number, count uint32, hosts []HostRun) Extent {
	first, last := &l.Routers[number], &l.Routers[number+count-1]
	return Extent{
		First: number, Count: count,
		Ports: first.FirstPort, EndPorts: last.FirstPort + uint32(last.NumVCs)/l.NumVCs,
		Hosts: hosts, VCs: first.FirstVC, EndVCs: last.FirstVC + uint32(last.NumVCs),
		timers: first.Timers, endTimers: last.Timers + uint32(last.First),
		masks: first.Masks, endMasks: last.Masks + uint32(last.Words),
	}
}

// HostRun is a run of consecutive hosts and their NICs.
type HostRun struct{ Host, Hosts, NIC, NICs uint32 }

// HostRuns returns the runs of the hosts of routers first to end-1.
func (l *Layout) HostRuns(first, end uint32) (runs []HostRun) {
	each := uint32(l.Spec.Graph.NICsPerHost)
	for h := range l.HostsOf(first, end) {
		host := uint32(h)
		if n := len(runs); n > 0 && runs[n-1].Host+runs[n-1].Hosts == host {
			runs[n-1].Hosts++
			runs[n-1].NICs += each
			continue
		}
		runs = append(runs, HostRun{host, 1, host * each, each})
	}
	return runs
}

// WalkFirst visits the first n elements of an array. When restoring, it clears the following
// elements up to index `before`, as if they had never been used.
func WalkFirst[T any](v *snapshot.Visitor, a *Array[T], n, before uint32) {
	WalkRange(v, a, 0, n, before)
}

// WalkRange is like WalkFirst for elements from to end-1.
func WalkRange[T any](v *snapshot.Visitor, a *Array[T], from, end, before uint32) {
	if end > a.N || end < from {
		v.Fail(model.ErrTooMany)
		return
	}
	snapshot.Values(v, a.Slice(from, end-from))
	if v.Restores() && end < before {
		clear(a.Slice(end, before-end))
	}
}

// HostsOf yields the hosts of routers first to end-1, in ascending order.
func (l *Layout) HostsOf(first, end uint32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for r := first; r < end; r++ {
			lr := &l.Routers[r]
			if lr.NumHosts == 0 {
				continue
			}
			first := int32(l.FirstHost(lr))
			for h := range int32(lr.NumHosts) {
				if !yield(first + h) {
					return
				}
			}
		}
	}
}
