package replay

import (
	"fabricast/internal/snapshot"
	"fabricast/node"
)

// State implements node.Stateful. Of the table only what is left of each task is saved; the rest was
// read when the program was made.
func (x *scheduled) State(v *snapshot.Visitor) {
	was := x.over
	x.over = v.Flag(x.over)
	for _, n := range []*int{&x.unstarted, &x.open, &x.waits, &x.turn, &x.number} {
		snapshot.Value(v, n)
	}
	snapshot.Value(v, &x.looked)
	snapshot.Value(v, &x.current)
	for _, is := range []*bool{&x.inTurns, &x.read} {
		*is = v.Flag(*is)
	}
	snapshot.Value(v, &x.ready)
	snapshot.Value(v, &x.asked)
	if x.over {
		return
	}
	if was { // undone: it had ended meanwhile
		x.job.goesOn(x.rank)
	}
	snapshot.Values(v, x.tab.left)
}

// Restored implements node.Placed. Explanations of deadlocks name communicators.
func (x *scheduled) Restored(w *node.World) { x.groups.Settle(w) }

// Finish implements node.Finisher: it adds to the report what has been corrected for the rank.
func (x *scheduled) Finish() error {
	x.end()
	return nil
}
