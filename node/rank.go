package node

// rank is the mutable state of one rank. It holds no pointers.
type rank struct {
	clock     int64 // ps: may be ahead of the host's time
	sendsDone int64 // ps: the latest completion among the sends that a WaitAll waits for
	id        int32 // in the world
	host      int32

	events, lastEvent uint32 // what will happen, in order
	allUnexpected     uint32 // the last in the ring of messages that no receive has met
	chain             uint32 // requests that it is blocked on
	waiting           int32  // of them, those whose completion time is not known
	orders            uint32 // receives posted so far (wraps around)
	probe             int32  // context of a Probe or Iprobe
	nic               uint16 // that the next message leaves by
	state             Kind   // what it is blocked in; Sync before its start
	shapes            uint8  // wildcard shapes it has ever used, a bit each
	message           Status // what it probes for, and then, or after a WaitAll, what it found
	counters          counters
}

// counters are the plain statistics of one rank.
type counters struct {
	sentMessages, receivedMessages uint32
	sentBytes, receivedBytes       int64
	wait, compute, overhead        int64 // ps
}

// asksForPresent tells whether the rank waits for its host's time to pass its clock.
func (r *rank) asksForPresent() bool { return r.state == Test || r.state == Iprobe }

// advance moves the clock to a time, in ps, if that is later.
func (r *rank) advance(to int64) {
	if to > r.clock {
		r.counters.wait += to - r.clock
		r.clock = to
	}
}

// charge spends software time, in ps.
func (r *rank) charge(d int64) {
	r.clock += d
	r.counters.overhead += d
}

// uses tells whether the rank has ever used a wildcard shape.
func (r *rank) uses(shape int) bool { return r.shapes&(1<<shape) != 0 }

// use notes that it does. For a pattern without wildcards this has no effect.
func (r *rank) use(shape int) { r.shapes |= 1 << shape &^ (1 << exact) }
