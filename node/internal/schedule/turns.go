package schedule

import (
	"slices"

	"fabricast/fabric"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
)

// Turns arbitrates the processors of ranks that take part in communication, in the order of
// LogGOPSim. Operations of a rank's program and arrived messages that require its processor are in
// the rank's queue, ordered by their earliest time. Simultaneous items are served in the order in
// which they became eligible, across all ranks. An item that finds the processor or its NIC busy is
// retried when they are free, and keeps its sequence number.
//
// A program's operations are sequential: one becomes eligible when the previous one starts. The
// operations of programs that call Ops.Apart become eligible at once. Programs are at most one
// operation ahead of their host's time.
//
// All ranks must be in one block, because the sequence numbers span all ranks.
type Turns struct {
	world    *core.Shared
	Queues   []TurnHeap // by slot; nil without a Processor
	Chains   []chain    // by slot; nil if no program has needed one
	Ops      core.Pool[TurnOp]
	Numbers  []uint64 // sequence numbers of messages in flight, by MsgID
	count    uint64   // number of items that have become eligible
	sends    []int64  // ps, by NIC: when it can start its next message
	firstNIC int32
	// A receive has completed with a send of a lower rank. At one instant the lower rank continues
	// first, as in LogGOPSim, though the receiver is at hand.
	SenderFirst bool
}

// TurnOp is an operation that waits for its turn.
type TurnOp struct {
	_     uint32 // used by the pool
	Apart bool   // no other operation waits for its start
	Op    core.Op
	core.Remote
}

// TurnItem is an operation or a message that requires a rank's processor.
type TurnItem struct {
	At      int64  // ps: earliest time
	Number  uint64 // sequence number, in the order of becoming eligible
	Message fabric.MsgID
	Op      uint32 // the operation, if the item is not a message; see also Receive
}

// receives is the Message of an item that is a receive. Its Op is the receive's request. Items with
// higher numbers, up to the highest, are as many receives more, with the same time and with
// requests and sequence numbers that follow one another. No message has such a number.
const receives fabric.MsgID = 1 << 31

// Receive returns the request of an item that is only a receive, for which no other operation waits;
// 0 for other items. It needs no TurnOp, because ranks post many receives at once.
func (x *TurnItem) Receive() uint32 {
	if x.Message < receives {
		return 0
	}
	return x.Op
}

// extend adds a receive to an item of receives. It returns false if the receive does not follow them.
func (x *TurnItem) extend(at int64, request uint32, number uint64) bool {
	more := x.Message - receives
	if x.Message < receives || x.Message+1 == 0 || x.At != at || x.Number+uint64(more)+1 != number ||
		core.IndexOf(x.Op)+uint32(more)+1 != core.IndexOf(request) {
		return false
	}
	x.Message++
	return true
}

func (x *TurnItem) before(y *TurnItem) bool {
	if x.At != y.At {
		return x.At < y.At
	}
	return x.Number < y.Number
}

// chain holds the operations that a rank's program has emitted but not started, and the wait that
// follows them.
type chain struct {
	Ops      []core.Op
	Remotes  []core.Remote
	Next     int // index into Ops
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
	y.Queues = make([]TurnHeap, len(ranks))
	y.firstNIC = ranks[0].Host * nics
	y.sends = make([]int64, (ranks[len(ranks)-1].Host+1)*nics-y.firstNIC)
	return y
}

// Used reports whether operations have to wait for their turn.
func (y *Turns) Used() bool { return y.Queues != nil }

// Chain returns the chain of the rank in a slot.
func (y *Turns) Chain(slot int32) *chain {
	if y.Chains == nil {
		y.Chains = make([]chain, len(y.Queues))
	}
	return &y.Chains[slot]
}

// Reserve makes room for operations of the rank in a slot.
func (y *Turns) Reserve(slot int32, ops []core.Op) {
	n := 1 // all plain receives
	for i := range ops {
		if !plainReceive(&ops[i]) {
			n++
		}
	}
	y.Queues[slot] = slices.Grow(y.Queues[slot], n)
}

// plainReceive reports whether an operation is a receive whose start no other operation waits for.
func plainReceive(o *core.Op) bool { return o.Kind == model.Recv && o.Started == 0 }

// next returns the next sequence number.
func (y *Turns) next() uint64 {
	y.count++
	return y.count
}

// Sent assigns a sequence number to a message that starts now.
func (y *Turns) Sent(id fabric.MsgID) {
	for int(id) >= len(y.Numbers) {
		y.Numbers = append(y.Numbers, 0)
	}
	y.Numbers[id] = y.next()
}

// First returns the first item at a host whose slots are first to end-1, and the item's slot; nil
// if there is none.
func (y *Turns) First(first, end int32) (item *TurnItem, slot int32) {
	for s := first; s < end; s++ {
		if q := y.Queues[s]; len(q) > 0 && (item == nil || q[0].before(item)) {
			item, slot = &q[0], s
		}
	}
	return item, slot
}

// Add makes an operation eligible at time `at` (ps).
func (y *Turns) Add(slot int32, at int64, o *core.Op, remotes []core.Remote, apart bool) {
	if apart && plainReceive(o) {
		q, number := &y.Queues[slot], y.next()
		if n := len(*q); n == 0 || !(*q)[n-1].extend(at, o.Request, number) {
			q.Push(TurnItem{At: at, Number: number, Message: receives, Op: o.Request})
		}
		return
	}
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

// Pop removes the first item, of several receives only the first. REQUIRES: there is one.
func (q *TurnHeap) Pop() TurnItem {
	list := *q
	first, x := list[0], list[len(list)-1]
	if first.Message > receives {
		list[0].Message--
		list[0].Number++
		list[0].Op = core.ReceiveID(core.IndexOf(first.Op) + 1)
		first.Message = receives
		return first
	}
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

// Nic returns a pointer to the time (ps) at which the NIC of a send can start its next message.
func (y *Turns) Nic(r *core.Rank, o *core.Op) *int64 {
	return &y.sends[r.Host*int32(y.world.Spec.NICsPerHost)+max(0, int32(o.Nic)-1)-y.firstNIC]
}

// SetTimerInTurn sets the host's timer to the first item at the host.
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
