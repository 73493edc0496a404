package nic

import (
	"errors"

	"fabricast/fabric/internal/core"

	"fabricast/internal/offheap"
	"fabricast/internal/snapshot"
)

// State is the state of all NICs.
type State struct {
	Senders   core.Array[Sender]
	Receivers core.Array[Receiver]
	rotas     core.Array[Rota] // empty unless NICs take turns among messages
	Buses     *busState        // nil unless NICs share I/O buses
}

func NewState(a *offheap.Arena, l *core.Layout, s *core.State) (*State, error) {
	count := len(l.Spec.Graph.NICPort)
	var n State
	err := errors.Join(n.Senders.Reserve(a, count), n.Receivers.Reserve(a, count))
	if err == nil {
		n.Buses, err = newBusState(a, l, s)
	}
	if err == nil {
		n.rotas, err = newRotas(a, &l.Spec)
	}
	return &n, err
}

// Sender is the sending side of a network interface.
type Sender struct {
	// Messages are injected in order. Fetching from memory is ahead by up to two packets.
	Head, tail uint32   // queue of messages, head is being injected; 0 = none
	Fetching   uint32   // message to fetch from next; 0 = none
	Fetched    uint32   // packets fetched and not injected yet, 0 to 2
	Ready      [2]int64 // ps: when these are in the NIC
	InjectLeft int64    // payload bytes of head not injected yet
	FetchLeft  int64    // payload bytes of fetching not fetched yet
	Route      uint64   // header of head's packets after the first router
	VC         uint32   // channel by which head's packets enter
	Out        uint16   // output VC of head's packets at the first router
	Paced      bool     // head's packets are followed by pauses, see Extra.Gap
	Stalled    bool     // is observed to wait for credit for head's next packet
	// ps: end of the last transfer from memory, or the post of the next message if that is later
	DmaEnd   int64
	dmaPart  uint64 // fraction of a ps, see rate
	LastTail int64  // ps: when the tail of the last packet left
	PrevTail int64  // the same of the one before it
	Free     int64  // ps: when the pause after the last packet ended; without one, lastTail
	LinkPart uint64
	Flits    uint64 // injected
	Packets  uint64
	Waited   int64 // ps: for credit, in the observer's present bin
}

// Known lets a NIC fetch the next message from the time `at` (ps) on.
func (n *Sender) Known(at int64) {
	if at > n.DmaEnd {
		n.DmaEnd, n.dmaPart = at, 0
	}
}

// Next returns when the NIC may send the first of the packets that it has fetched (ps).
func (n *Sender) Next() int64 { return max(n.Ready[0], n.Free) }

// Receiver is the receiving side of one NIC.
type Receiver struct {
	end  int64  // ps: of the last move to memory
	part uint64 // fraction of a ps, see rate
}

// StateAt goes over the NICs of some routers, their buses, and the routers' timers.
func (b *NICs) StateAt(v *snapshot.Visitor, x core.Extent) {
	b.Base.StateAt(v, x)
	for _, run := range x.Hosts {
		snapshot.Values(v, b.Send.NICs.Slice(run.NIC, run.NICs))
		snapshot.Values(v, b.Receive.NICs.Slice(run.NIC, run.NICs))
		if u := b.Bus; u != nil {
			snapshot.Values(v, u.Buses.Slice(run.Host, run.Hosts))
		}
		if !b.Queues() {
			continue
		}
		for nic := run.NIC; nic < run.NIC+run.NICs; nic++ {
			b.queues(v, nic)
		}
	}
}

// Queues reports whether NICs have queues, of which the entries have places in the block.
func (b *NICs) Queues() bool { return b.Send.Turns != nil || b.Bus != nil }

// queues goes over what is queued at a NIC. When it is restored, its entries get new places.
func (b *NICs) queues(v *snapshot.Visitor, nic uint32) {
	if t := b.Send.Turns; t != nil {
		t.state(v, t.nics.At(nic))
	}
	if b.Bus != nil {
		b.Bus.state(v, b.Bus.Docks.At(nic))
	}
}

// drop empties the queues of a NIC.
func (b *NICs) drop(nic uint32) {
	if t := b.Send.Turns; t != nil {
		for _, q := range t.nics.At(nic).queues() {
			t.drop(q)
		}
	}
	if b.Bus != nil {
		b.Bus.drop(b.Bus.Docks.At(nic))
	}
}

// TakeOver moves what is queued at a NIC here from another block.
func (b *NICs) TakeOver(nic uint32, from *NICs) {
	var s snapshot.Snapshot
	s.Save(func(v *snapshot.Visitor) { from.queues(v, nic) })
	from.drop(nic)
	s.Restore(func(v *snapshot.Visitor) { b.queues(v, nic) })
}

// Discard gives the memory back of the NICs of routers that another process has got.
func (b *NICs) Discard(x core.Extent) {
	for _, run := range x.Hosts {
		for nic := run.NIC; nic < run.NIC+run.NICs && b.Queues(); nic++ {
			b.drop(nic)
		}
		offheap.Discard(b.Send.NICs.Slice(run.NIC, run.NICs))
		offheap.Discard(b.Receive.NICs.Slice(run.NIC, run.NICs))
	}
}
