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
