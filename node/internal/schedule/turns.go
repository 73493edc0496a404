package schedule

import (
	"fabricast/fabric"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
)

// Turns has the processors of ranks take part in communication in the order of LogGOPSim. What
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
type Turns struct {
	world    *core.Shared
	Queues   []TurnHeap // by slot; nil without Processor
	Chains   []chain    // by slot
	Ops      core.Pool[TurnOp]
	Numbers  []uint64 // of messages on their way, by MsgID
	count    uint64   // of all that has become ready
	sends    []int64  // ps, by NIC: when it may start its next message
	firstNIC int32
}

// TurnOp is an operation that waits for its turn.
type TurnOp struct {
	_     uint32 // the pool's
	Apart bool   // nothing waits for its start
	Op    core.Op
	core.Remote
}

// TurnItem is an operation or a message that wants a rank's processor.
type TurnItem struct {
	At      int64  // ps: it need not be looked at before
	Number  uint64 // in the order of becoming ready
	Message fabric.MsgID
	Op      uint32 // if it is no message
}

func (x *TurnItem) before(y *TurnItem) bool {
	if x.At != y.At {
		return x.At < y.At
	}
	return x.Number < y.Number
}

// chain is what a rank's program has emitted and not begun, and what it waits for then.
type chain struct {
	Ops      []core.Op
	Remotes  []core.Remote
	Next     int // of ops
	Waits    []uint32
	Last     model.Kind
	Probe    core.Key
	Patience int32
	Err      error
}

func NewReady(w *core.Shared, ranks []core.Rank) Turns {
	y := Turns{world: w}
	if w.Spec.Processor == nil || len(ranks) == 0 {
		return y
	}
	nics := int32(w.Spec.NICsPerHost)
	y.Queues, y.Chains = make([]TurnHeap, len(ranks)), make([]chain, len(ranks))
	y.firstNIC = ranks[0].Host * nics
	y.sends = make([]int64, (ranks[len(ranks)-1].Host+1)*nics-y.firstNIC)
	return y
}

// Used reports whether operations have to wait for their turn.
func (y *Turns) Used() bool { return y.Queues != nil }

// next returns the number of what becomes ready now.
func (y *Turns) next() uint64 {
	y.count++
	return y.count
}

// Sent numbers a message that starts now.
func (y *Turns) Sent(id fabric.MsgID) {
	for int(id) >= len(y.Numbers) {
		y.Numbers = append(y.Numbers, 0)
	}
	y.Numbers[id] = y.next()
}

// First returns what comes first at a host, and its slot; nil if there is nothing.
func (y *Turns) First(first, end int32) (item *TurnItem, slot int32) {
	for s := first; s < end; s++ {
		if q := y.Queues[s]; len(q) > 0 && (item == nil || q[0].before(item)) {
			item, slot = &q[0], s
		}
	}
	return item, slot
}

// Add makes an operation ready at the time `at` (ps).
func (y *Turns) Add(slot int32, at int64, o *core.Op, remotes []core.Remote, apart bool) {
	id, place := y.Ops.Alloc()
	place.Op, place.Apart = *o, apart
	if int(o.Remote) < len(remotes) && core.OneSided(o.Kind) {
		place.Remote = remotes[o.Remote]
	}
	y.Queues[slot].Push(TurnItem{At: at, Number: y.next(), Op: id})
}

// TurnHeap is a binary heap.
type TurnHeap []TurnItem

func (q *TurnHeap) Push(x TurnItem) {
	*q = append(*q, x)
	list, i := *q, len(*q)-1
	for i > 0 && x.before(&list[(i-1)/2]) {
		list[i] = list[(i-1)/2]
		i = (i - 1) / 2
	}
	list[i] = x
}

// Pop removes the first item. REQUIRES: there is one.
func (q *TurnHeap) Pop() TurnItem {
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

// Nic returns when the NIC of a send may start its next message (ps).
func (y *Turns) Nic(r *core.Rank, o *core.Op) *int64 {
	return &y.sends[r.Host*int32(y.world.Spec.NICsPerHost)+max(0, int32(o.Nic)-1)-y.firstNIC]
}

// SetTimerInTurn sets the host's timer to what comes first there.
func (s *Schedule) SetTimerInTurn(host int32) {
	first, end := s.World.Slots(host)
	at := s.hostDue(host)
	number := uint64(0)
	if item, _ := s.Turns.First(first, end); item != nil && item.At < at {
		at, number = item.At, item.Number
	}
	if t, ok := s.Transport.(fabric.Sequencer); ok {
		t.SetTurn(host, at, number)
		return
	}
	s.Transport.SetTimer(host, at)
}
