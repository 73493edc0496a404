package fabric

import (
	"errors"

	"fabricast/internal/offheap"
	"fabricast/internal/snapshot"
)

// nicState is the state of all NICs.
type nicState struct {
	nics      array[nic]
	receivers array[receiver]
	rotas     array[rota] // empty unless NICs take turns among messages
	buses     *busState   // nil unless NICs share I/O buses
}

func newNICState(a *offheap.Arena, l *layout, s *state) (*nicState, error) {
	count := len(l.spec.Graph.NICPort)
	var n nicState
	err := errors.Join(n.nics.reserve(a, count), n.receivers.reserve(a, count))
	if err == nil {
		n.buses, err = newBusState(a, l, s)
	}
	if err == nil {
		n.rotas, err = newRotas(a, &l.spec)
	}
	return &n, err
}

// nic is the sending side of a network interface.
type nic struct {
	// Messages are injected in order. Fetching from memory is ahead by up to two packets.
	head, tail uint32   // queue of messages, head is being injected; 0 = none
	fetching   uint32   // message to fetch from next; 0 = none
	fetched    uint32   // packets fetched and not injected yet, 0 to 2
	ready      [2]int64 // ps: when these are in the NIC
	injectLeft int64    // payload bytes of head not injected yet
	fetchLeft  int64    // payload bytes of fetching not fetched yet
	route      uint64   // header of head's packets after the first router
	vc         uint32   // channel by which head's packets enter
	out        uint16   // output slot of head's packets at the first router
	paced      bool     // head's packets are followed by pauses, see Extra.Gap
	stalled    bool     // is observed to wait for credit for head's next packet
	// ps: end of the last transfer from memory, or the post of the next message if that is later
	dmaEnd   int64
	dmaPart  uint64 // fraction of a ps, see rate
	lastTail int64  // ps: when the tail of the last packet left
	prevTail int64  // the same of the one before it
	free     int64  // ps: when the pause after the last packet ended; without one, lastTail
	linkPart uint64
	flits    uint64 // injected
	packets  uint64
	waited   int64 // ps: for credit, in the observer's present bin
}

// known lets a NIC fetch the next message from the time `at` (ps) on.
func (n *nic) known(at int64) {
	if at > n.dmaEnd {
		n.dmaEnd, n.dmaPart = at, 0
	}
}

// next returns when the NIC may send the first of the packets that it has fetched (ps).
func (n *nic) next() int64 { return max(n.ready[0], n.free) }

// receiver is the receiving side of one NIC.
type receiver struct {
	end  int64  // ps: of the last move to memory
	part uint64 // fraction of a ps, see rate
}

// stateAt goes over the NICs of some routers, their buses, and the routers' timers.
func (b *nics) stateAt(v *snapshot.Visitor, x extent) {
	b.base.stateAt(v, x)
	for _, run := range x.hosts {
		snapshot.Values(v, b.send.nics.slice(run.nic, run.nics))
		snapshot.Values(v, b.receive.nics.slice(run.nic, run.nics))
		if t := b.send.turns; t != nil {
			snapshot.Values(v, t.nics.slice(run.nic, run.nics))
		}
		if u := b.bus; u != nil {
			snapshot.Values(v, u.buses.slice(run.host, run.hosts))
			snapshot.Values(v, u.nics.slice(run.nic, run.nics))
		}
	}
}

// stateOf goes over what a block has besides its share of arrays and its messages.
func (b *nics) stateOf(v *snapshot.Visitor) {
	b.base.stateOf(v)
	if t := b.send.turns; t != nil {
		snapshot.List(v, &t.entries)
		snapshot.Value(v, &t.free)
	}
	if b.bus != nil {
		snapshot.List(v, &b.bus.arrivals)
		snapshot.Value(v, &b.bus.free)
	}
}

// discard gives the memory back of the NICs of routers that another process has got.
func (b *nics) discard(x extent) {
	for _, run := range x.hosts {
		offheap.Discard(b.send.nics.slice(run.nic, run.nics))
		offheap.Discard(b.receive.nics.slice(run.nic, run.nics))
	}
}

// queues goes over the queues of the NICs of some hosts, and takes them from the block that has them.
// Their entries have places in the block, so these are new where they go.
func (b *nics) queues(v *snapshot.Visitor, x extent) {
	for _, run := range x.hosts {
		for nic := run.nic; nic < run.nic+run.nics; nic++ {
			if t := b.send.turns; t != nil {
				q := t.nics.at(nic)
				t.queue(v, &q.now)
				t.queue(v, &q.later)
				t.queue(v, &q.control)
			}
			if b.bus != nil {
				b.bus.queue(v, nic)
			}
		}
	}
}

// takeOver moves what is queued at a NIC here from another block.
func (b *nics) takeOver(nic uint32, from *nics) {
	if t := b.send.turns; t != nil {
		q := t.nics.at(nic)
		t.takeOver(&q.now, from.send.turns)
		t.takeOver(&q.later, from.send.turns)
		t.takeOver(&q.control, from.send.turns)
	}
	if b.bus != nil {
		b.bus.takeOver(nic, from.bus)
	}
}
