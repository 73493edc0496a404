package fabric

import (
	"fabricast/internal/snapshot"
	"iter"
)

// extent is the share of some consecutive routers in the arrays that all blocks have together.
type extent struct {
	first, count       uint32 // routers
	ports, endPorts    uint32
	lanes, endLanes    uint32
	hosts              []hostRun
	timers, endTimers  uint32
	masks, endMasks    uint32
	ghosts, countGhost uint32
}

// extent returns the share of some routers, without lanes that stand for others.
func (l *layout) extent(number, count uint32, hosts []hostRun) extent {
	first, last := &l.routers[number], &l.routers[number+count-1]
	return extent{
		first: number, count: count,
		ports: first.ports, endPorts: last.ports + uint32(last.slots)/l.vcs,
		hosts: hosts, lanes: first.lanes, endLanes: last.lanes + uint32(last.slots),
		timers: first.timers, endTimers: last.timers + uint32(last.first),
		masks: first.masks, endMasks: last.masks + uint32(last.words),
	}
}

// hostRun is a run of consecutive hosts and their NICs.
type hostRun struct{ host, hosts, nic, nics uint32 }

// hostRuns returns the runs of the hosts of routers first to end-1.
func (l *layout) hostRuns(first, end uint32) (runs []hostRun) {
	each := uint32(l.spec.Graph.NICsPerHost)
	for h := range l.hostsOf(first, end) {
		host := uint32(h)
		if n := len(runs); n > 0 && runs[n-1].host+runs[n-1].hosts == host {
			runs[n-1].hosts++
			runs[n-1].nics += each
			continue
		}
		runs = append(runs, hostRun{host, 1, host * each, each})
	}
	return runs
}

// first goes over the first n elements of an array. To restore it, the elements behind them up to
// number `before` are cleared, as if they had never been used.
func first[T any](v *snapshot.Visitor, a *array[T], n, before uint32) { within(v, a, 0, n, before) }

// within does what first does for the elements from number `from` to end-1.
func within[T any](v *snapshot.Visitor, a *array[T], from, end, before uint32) {
	if end > a.n || end < from {
		v.Fail(errTooMany)
		return
	}
	snapshot.Values(v, a.slice(from, end-from))
	if v.Restores() && end < before {
		clear(a.slice(end, before-end))
	}
}

// hostsOf yields the hosts of the routers from first to end-1, in ascending order.
func (l *layout) hostsOf(first, end uint32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for r := first; r < end; r++ {
			lr := &l.routers[r]
			if lr.nHosts == 0 {
				continue
			}
			first := int32(l.firstHost(lr))
			for h := range int32(lr.nHosts) {
				if !yield(first + h) {
					return
				}
			}
		}
	}
}
