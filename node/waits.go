package node

// waitTimes divides the waits of ranks into time for messages under way, and time for messages that
// were sent late.
type waitTimes struct {
	world *shared
	by    []waits // by slot; nil if waits are not divided
	alone alone
	// ps: since when a NIC has had the arriving message; 0 if since before the wait
	posted int64
}

func newWaitTimes(w *shared, ranks int) waitTimes {
	t := waitTimes{world: w, alone: alone{size: -1}}
	if w.spec.Serialization != nil {
		t.by = make([]waits, ranks)
	}
	return t
}

// waits are sums over a rank's waits (ps), by cause.
type waits struct {
	network       int64 // ps: for messages under way
	serialization int64 // ps, of that: as long as the messages' bytes take by themselves
	messages      uint32
}

// divide, if waits are divided, computes for how much of a wait that began at `since` (ps) the
// message of `size` bytes was under way. A message that arrived before the rank blocked was sent
// before.
func (t *waitTimes) divide(r *rank, since, size int64) {
	under := min(r.clock-since, r.clock-t.posted)
	if under <= 0 {
		return
	}
	w := &t.by[t.world.slot(r.id)]
	w.network += under
	w.messages++
	if size != t.alone.size {
		t.alone.size, t.alone.time = size, t.world.spec.Serialization(size)
	}
	w.serialization += min(under, t.alone.time)
}

// divideTaken does what divide does, for a wait (ps) that ends when the processor takes a message
// sent `sent` ps ago. Its bytes count as processor time.
func (t *waitTimes) divideTaken(r *rank, wait, sent int64) {
	w := &t.by[t.world.slot(r.id)]
	w.network += min(wait, sent)
	w.messages++
}

// alone caches the serialization time of one size: most messages are as long as the one before.
type alone struct{ size, time int64 }
