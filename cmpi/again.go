package cmpi

import (
	"fabricast/cmpi/internal/host"
	"fabricast/internal/snapshot"
	"fabricast/node"
)

// A run that goes on from a checkpoint runs the program again up to there. What the ranks print
// meanwhile has been printed before, but for what was still held back at the checkpoint.

var _ node.Lasting = common{}

// State implements node.Lasting: it goes over the output that is held back.
func (c common) State(v *snapshot.Visitor) {
	held := &c.job.held
	if !v.Restores() {
		*held = append((*held)[:0], host.TakeOutput()...)
		host.GiveOutput(*held)
	}
	snapshot.List(v, held)
}

// DropOutput drops the output that is held back, for a run that has ended with a checkpoint.
func (j *Job) DropOutput() { j.watched(func() { host.TakeOutput() }) }

// Again implements node.Lasting.
func (c common) Again(runs bool) {
	host.MuteOutput(runs)
	if runs || c.job.order == nil {
		return
	}
	host.TakeOutput()
	if a := c.job.abroad; a == nil || a.world.Process() == 0 {
		host.GiveOutput(c.job.held)
	}
}
