package node

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
		o.rank.shapes |= isPatient
	}
	if len(o.list) < mostEmitted || !b.pauses || o.journal != nil || o.rank.clock <= b.schedule.now+farAhead ||
		b.watching.watchers != nil {
		return false
	}
	o.last = paused
	return true
}

// goesOn resumes a paused rank whose time has come. It reports whether it has done so.
func (b *Block) goesOn(r *rank, slot int32, now int64) bool {
	if r.state != paused || r.clock > now {
		return false
	}
	r.state = Sync
	b.run(r, slot)
	return true
}
