package node

import "fabricast/fabric"

// ready has the processors of ranks take part in communication in the order of LogGOPSim. What
// wants a rank's processor, an operation of its program or a message that has come, is in the
// rank's queue, by the time from which it may have it. Who comes first of several at one instant is
// who has become ready first, on whatever rank. What finds the processor or its NIC busy tries again
// when they are free, and keeps its number.
//
// A program's operations follow one another: one becomes ready as the one before it starts. Those
// of programs that ask for it (Ops.Apart) become ready at once. Programs are not ahead of their
// host's time by more than the operation that they are in.
//
// All ranks must be in one block, because numbers count what becomes ready on all ranks.
type ready struct {
	world    *shared
	queues   []readyQueue // by slot; nil without Processor
	chains   []chain      // by slot
	ops      pool[readyOp]
	numbers  []uint64 // of messages on their way, by MsgID
	count    uint64   // of all that has become ready
	sends    []int64  // ps, by NIC: when it may start its next message
	firstNIC int32
}

// readyOp is an operation that waits for its turn.
type readyOp struct {
	_     uint32 // the pool's
	apart bool   // nothing waits for its start
	op    op
	remote
}

// readyItem is an operation or a message that wants a rank's processor.
type readyItem struct {
	at      int64  // ps: it need not be looked at before
	number  uint64 // in the order of becoming ready
	message fabric.MsgID
	op      uint32 // if it is no message
}

func (x *readyItem) before(y *readyItem) bool {
	if x.at != y.at {
		return x.at < y.at
	}
	return x.number < y.number
}

// chain is what a rank's program has emitted and not begun, and what it waits for then.
type chain struct {
	ops      []op
	remotes  []remote
	next     int // of ops
	waits    []uint32
	last     Kind
	probe    key
	patience int32
	err      error
}

func newReady(w *shared, ranks []rank) ready {
	y := ready{world: w}
	if w.spec.Processor == nil || len(ranks) == 0 {
		return y
	}
	nics := int32(w.spec.NICsPerHost)
	y.queues, y.chains = make([]readyQueue, len(ranks)), make([]chain, len(ranks))
	y.firstNIC = ranks[0].host * nics
	y.sends = make([]int64, (ranks[len(ranks)-1].host+1)*nics-y.firstNIC)
	return y
}

// used reports whether operations have to wait for their turn.
func (y *ready) used() bool { return y.queues != nil }

// next returns the number of what becomes ready now.
func (y *ready) next() uint64 {
	y.count++
	return y.count
}

// sent numbers a message that starts now.
func (y *ready) sent(id fabric.MsgID) {
	for int(id) >= len(y.numbers) {
		y.numbers = append(y.numbers, 0)
	}
	y.numbers[id] = y.next()
}

// first returns what comes first at a host, and its slot; nil if there is nothing.
func (y *ready) first(first, end int32) (item *readyItem, slot int32) {
	for s := first; s < end; s++ {
		if q := y.queues[s]; len(q) > 0 && (item == nil || q[0].before(item)) {
			item, slot = &q[0], s
		}
	}
	return item, slot
}

// add makes an operation ready at the time `at` (ps).
func (y *ready) add(slot int32, at int64, o *op, remotes []remote, apart bool) {
	id, place := y.ops.alloc()
	place.op, place.apart = *o, apart
	if int(o.remote) < len(remotes) && oneSided(o.kind) {
		place.remote = remotes[o.remote]
	}
	y.queues[slot].push(readyItem{at: at, number: y.next(), op: id})
}

// readyQueue is a binary heap.
type readyQueue []readyItem

func (q *readyQueue) push(x readyItem) {
	*q = append(*q, x)
	list, i := *q, len(*q)-1
	for i > 0 && x.before(&list[(i-1)/2]) {
		list[i] = list[(i-1)/2]
		i = (i - 1) / 2
	}
	list[i] = x
}

// pop removes the first item. REQUIRES: there is one.
func (q *readyQueue) pop() readyItem {
	list := *q
	first, x := list[0], list[len(list)-1]
	list = list[:len(list)-1]
	*q = list
	for i := 0; len(list) > 0; {
		below := 2*i + 1
		if below+1 < len(list) && list[below+1].before(&list[below]) {
			below++
		}
		if below >= len(list) || !list[below].before(&x) {
			list[i] = x
			break
		}
		list[i] = list[below]
		i = below
	}
	return first
}

// nic returns when the NIC of a send may start its next message (ps).
func (y *ready) nic(r *rank, o *op) *int64 {
	return &y.sends[r.host*int32(y.world.spec.NICsPerHost)+max(0, int32(o.nic)-1)-y.firstNIC]
}

// setTimerInTurn sets the host's timer to what comes first there.
func (s *schedule) setTimerInTurn(host int32) {
	first, end := s.world.slots(host)
	at := s.hostDue(host)
	number := uint64(0)
	if item, _ := s.ready.first(first, end); item != nil && item.at < at {
		at, number = item.at, item.number
	}
	if t, ok := s.transport.(fabric.Sequencer); ok {
		t.SetTurn(host, at, number)
		return
	}
	s.transport.SetTimer(host, at)
}
