package node

// waits divides the time in which a rank waited.
type waits struct {
	network       int64 // ps: for messages under way
	serialization int64 // ps, of that: as long as the messages' bytes take by themselves
	messages      uint32
}

// arriveSent is arrive for a message whose send was called at a known time (ps).
func (b *Block) arriveSent(r *rank, u *unexpected, sent int64) bool {
	if b.waits == nil {
		return b.arrive(r, u)
	}
	b.posted = sent + b.callCost(u.size, b.world.spec.OneCopy)
	resumed := b.arrive(r, u)
	b.posted = 0
	return resumed
}

// divide, where waits are divided, notes of a wait since a time (ps) for how much of it the message of a given size was under
// way. What has completed before the rank blocked has been sent before.
func (b *Block) divide(r *rank, since, size int64) {
	under := min(r.clock-since, r.clock-b.posted)
	if under <= 0 {
		return
	}
	w := &b.waits[b.slotOf(r)]
	w.network += under
	w.messages++
	if size != b.alone.size {
		b.alone.size, b.alone.time = size, b.world.spec.Serialization(size)
	}
	w.serialization += min(under, b.alone.time)
}

// alone is the serialization of the size asked for last: most messages are as long as the one before.
type alone struct{ size, time int64 }
