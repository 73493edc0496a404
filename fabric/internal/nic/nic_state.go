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
	rotas     core.Array[Rota]   // empty unless NICs choose messages packet by packet
	lanes     core.Array[Sender] // by NIC and class, see Senders.lanes
	lags      core.Array[int64]  // by NIC and class, see core.Shares
	Buses     *busState          // nil unless NICs share I/O buses
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
	if err == nil && l.Classed {
		err = n.lanes.Reserve(a, count*len(l.Spec.Router.Classes))
	}
	if err == nil {
		n.lags, err = core.ReserveNICShares(a, l)
	}
	return &n, err
}

// Sender is the sending side of a network interface.
type Sender struct {
	// Messages are injected in order. Fetching from memory is up to two packets ahead of injection.
	Head, tail uint32   // queue of messages; the head is being injected; 0: none
	Fetching   uint32   // message to fetch from next; 0: none
	Fetched    uint32   // number of packets fetched and not injected yet, 0 to 2
	Ready      [2]int64 // times at which the fetched packets are in the NIC (ps)
	InjectLeft int64    // payload bytes of Head that have not been injected
	FetchLeft  int64    // payload bytes of Fetching that have not been fetched
	Route      uint64   // header of Head's packets after the first router
	VC         uint32   // virtual channel through which Head's packets enter
	Out        uint16   // output VC of Head's packets at the first router
	Paced      bool     // Head's packets are followed by pauses, see Extra.Gap
	Streaming  bool     // a stream of its packets is under way, see inputqueued.stream
	Stalled    bool     // it is observed to wait for credit for Head's next packet
	// end of the last transfer from memory, or posting of the next message if that is later (ps)
	DmaEnd   int64
	dmaPart  uint64 // fraction of a ps left by the last transfer, see core.Rate
	LastTail int64  // when the tail of the last packet left (ps)
	PrevTail int64  // the same for the packet before it
	Free     int64  // when the pause after the last packet ended (ps); without a pause, LastTail
	LinkPart uint64
	Flits    uint64 // number of flits injected
	Packets  uint64
	Waited   int64 // time waited for credit in the observer's current bin (ps)
}

// Known allows a NIC to fetch the next message from the time `at` (ps) on.
func (n *Sender) Known(at int64) {
	if at > n.DmaEnd {
		n.DmaEnd, n.dmaPart = at, 0
	}
}

// Next returns the time (ps) at which the NIC may send the first of the packets that it has
// fetched.
func (n *Sender) Next() int64 { return max(n.Ready[0], n.Free) }

// Receiver is the receiving side of one NIC.
type Receiver struct {
	end  int64  // end of the last move to memory (ps)
	part uint64 // fraction of a ps left by the last transfer, see core.Rate
}

// StateAt visits the NICs of some routers, their buses, and the routers' timers.
func (b *NICs) StateAt(v *snapshot.Visitor, x core.Extent) {
	b.Base.StateAt(v, x)
	for _, run := range x.Hosts {
		snapshot.Values(v, b.Send.NICs.Slice(run.NIC, run.NICs))
		snapshot.Values(v, b.Receive.NICs.Slice(run.NIC, run.NICs))
		b.Send.lanesAt(v, run.NIC, run.NICs)
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

// TakeOver moves the queues of a NIC from another block to this block.
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
