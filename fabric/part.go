package fabric

import (
	"errors"
	"math"

	"fabricast/engine"
	"fabricast/engine/timewarp"
	"fabricast/fabric/internal/core"
	"fabricast/internal/snapshot"
	"fabricast/routing"
)

// Part is the block of a process that has one, for timewarp.Run: it can be taken back to an earlier
// window without the blocks of other processes, as they share no memory with it.
type Part struct {
	*Block
	sent []sentBytes // by process
}

// sentBytes is the data that a part has sent to another one in its last window.
type sentBytes struct {
	data  []byte
	first int64 // earliest window that the bytes affect
}

// partRecords is the number of messages that a part remembers for each other part. It is lower than
// knownRecords because these records are saved with the state.
const partRecords = 1 << 5

// NewPart makes the network of a process with one block a part of a Time Warp run. The window
// length becomes fixed, at a value that is safe for the smallest packets. It is an error if routing
// knows the queues of all routers: publications are not taken back.
func NewPart(n *Network) (*Part, error) {
	if len(n.Blocks()) != 1 {
		return nil, errors.New("a part is the one block of a process")
	}
	if _, informed := n.layout.Spec.Adaptive.(routing.Informed); informed {
		return nil, errors.New("routing that knows the queues of all routers leaves no part that could run ahead")
	}
	p := &Part{Block: n.Blocks()[0]}
	n.ahead = true
	if a := n.across; a != nil {
		p.sent = make([]sentBytes, a.group.Size())
		for i := range a.known {
			a.known[i] = make([]knownRecord, partRecords)
		}
	}
	p.SetWindow(n.ShortestWindow())
	return p, nil
}

// Run implements engine.Part. It makes bytes of what the block has sent, so that its outbox in memory
// is empty between windows.
func (p *Part) Run(window int64, round uint64) {
	p.Block.Run(window, round)
	for to := range p.sent {
		s := &p.sent[to]
		s.data, s.first = s.data[:0], math.MaxInt64
		if a := p.net.across; to != a.group.Rank() && p.nics.Mail.To(uint32(to)).Filled() {
			s.data, _ = a.packSent(s.data, to)
			s.first = p.Block.Sent(to) // each process has one block
		}
	}
	p.emptyMail()
}

// emptyMail removes the data that a window has sent, completely or partly before it failed.
func (p *Part) emptyMail() {
	m := &p.nics.Mail
	m.Contents = m.Contents[:0]
	for to := range p.sent {
		m.To(uint32(to)).Empty()
	}
}

// Sent implements engine.Part.
func (p *Part) Sent(to int) int64 {
	if to != engine.Anyone {
		return p.sent[to].first
	}
	first := int64(math.MaxInt64)
	for i := range p.sent {
		first = min(first, p.sent[i].first)
	}
	return first
}

// Packed implements timewarp.Part.
func (p *Part) Packed(to int) []byte { return p.sent[to].data }

// Receive implements timewarp.Part.
func (p *Part) Receive(_ int, data []byte) {
	a := p.net.across
	r := reader{data}
	a.unpackSent(&r, 0)
	for _, x := range a.filled[0] {
		p.takeIn(x)
	}
	p.emptyReceived()
}

// emptyReceived removes the data that has been received last, completely or partly before it failed.
func (p *Part) emptyReceived() {
	if a := p.net.across; a != nil {
		a.emptyFilled(0)
	}
}

// State implements engine.Stateful. It goes over the state of the block, of its endpoint and of its
// sink, and over the copies of messages of other blocks.
func (p *Part) State(v *snapshot.Visitor) {
	p.Block.State(v)
	if v.Restores() {
		p.emptyMail()
		p.emptyReceived()
	}
	if s, ok := p.sink.(Stateful); ok {
		s.State(v)
	}
	a := p.net.across
	if a == nil {
		return
	}
	for _, known := range a.known {
		snapshot.Values(v, known)
	}
	all := &p.nics.Messages.All
	for owner := range a.copies {
		if owner == p.nics.Index {
			continue
		}
		c, before := &a.copies[owner], a.copies[owner]
		snapshot.Value(v, c)
		extras := core.ArrayOf(p.net.extras[owner])
		core.WalkFirst(v, all.At(uint32(owner)), 1+c.messages, 1+before.messages)
		core.WalkFirst(v, &extras, 1+c.extras, 1+before.extras)
		if p.net.divisions != nil {
			divisions := core.ArrayOf(p.net.divisions[owner])
			core.WalkFirst(v, &divisions, 1+c.messages, 1+before.messages)
		}
	}
}

// Packets implements timewarp.Part: it counts their hops.
func (p *Part) Packets() uint64 { return p.nics.Counters.Hops }

var _ timewarp.Part = (*Part)(nil)
