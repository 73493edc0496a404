package probe

import "fabricast/internal/snapshot"

// State visits the observer's counts that have not been reported yet.
func (x *Observer) State(v *snapshot.Visitor) {
	snapshot.Value(v, &x.begin)
	snapshot.Value(v, &x.until)
	snapshot.Value(v, &x.interval)
	snapshot.Values(v, x.told)
	snapshot.Values(v, x.waits.Slice(0, x.waits.N))
	snapshot.Value(v, &x.waiting)
	snapshot.Value(v, &x.streaming)
	snapshot.List(v, &x.later)
	snapshot.Values(v, x.buffers)
	snapshot.List(v, &x.laterBuffers)
	snapshot.Value(v, &x.filled)
	snapshot.Values(v, x.arrived)
	snapshot.Values(v, x.since)
	snapshot.Values(v, x.sums)
	snapshot.Values(v, x.holds)
}
