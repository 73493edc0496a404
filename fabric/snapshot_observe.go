package fabric

import "fabricast/internal/snapshot"

// state goes over what a block's observer has counted and not reported yet.
func (x *observer) state(v *snapshot.Visitor) {
	snapshot.Value(v, &x.begin)
	snapshot.Value(v, &x.until)
	snapshot.Value(v, &x.interval)
	snapshot.Values(v, x.told)
	snapshot.Values(v, x.waits.slice(0, x.waits.n))
	snapshot.Value(v, &x.waiting)
	snapshot.List(v, &x.later)
	snapshot.Values(v, x.buffers)
	snapshot.List(v, &x.laterBuffers)
	snapshot.Value(v, &x.filled)
	snapshot.Values(v, x.arrived)
	snapshot.Values(v, x.since)
	snapshot.Values(v, x.sums)
	snapshot.Values(v, x.holds)
}

// forgetObservation removes what an observation has left in the records of a block's virtual channels
// and NICs, so that another one can begin, or none. What waits then is not observed.
func forgetObservation(b *Block) {
	for i := b.first; i < b.first+b.count && b.general == nil; i++ {
		r := b.routers.at(i)
		for lane := r.lanes; lane < r.lanes+uint32(r.slots); lane++ {
			b.lanes.at(lane).way &^= stalled
		}
	}
	for _, run := range b.hostRuns() {
		for i := run.nic; i < run.nic+run.nics; i++ {
			n := b.send.nics.at(i)
			n.stalled, n.waited = false, 0
		}
	}
}
