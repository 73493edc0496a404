package node

import (
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
)

// A rank that need not wait runs ahead of its host's time: it posts messages and receives for times
// far in the future, and all of them take memory until then. So a program may pause, and goes on when
// its host's time has come to the rank's clock. This changes no prediction: the clock stands still
// meanwhile, and messages that arrive before it meet the same receives, whether these are posted
// before or after.

const (
	// mostEmitted is how many operations a rank emits ahead of its host's time before it pauses. Fewer
	// would take less memory, but each pause costs a wake.
	mostEmitted = 4
	// farAhead is by how much (ps) its clock must be ahead for that.
	farAhead = 100_000
)

// Pause reports whether the program must return from Resume now, because its rank is far ahead of its
// host's time. It is resumed later. A program that calls Pause must not depend on the order in which
// its receives complete. REQUIRES: the program has begun no wait since it was resumed.
func (o *Ops) Pause() bool {
	b := o.block
	if b.early {
		o.rank.Shapes |= core.IsPatient
	}
	if len(o.list) < mostEmitted || !b.pauses || o.journal != nil || o.rank.Clock <= b.schedule.Now+farAhead ||
		b.watching.Watchers != nil {
		return false
	}
	o.last = model.Paused
	return true
}

// continuePaused resumes a paused rank whose time has come. It reports whether it has done so.
func (b *Block) continuePaused(r *core.Rank, slot int32, now int64) bool {
	if r.State != model.Paused || r.Clock > now {
		return false
	}
	r.State = model.Sync
	b.run(r, slot)
	return true
}
