package fabric

import (
	"errors"
	"math"

	"fabricast/engine"
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
	"fabricast/internal/snapshot"
)

// Part is the block of a process that has only one block, for engine.RunOptimistic. It can be
// rolled back to an earlier window independently of the blocks of other processes, since it shares
// no memory with them.
type Part struct {
	net   *Network
	block *Block
	round uint64
	sent  []sentBytes // by process
	walk  func(*snapshot.Visitor)
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
// length becomes fixed, at a value that is safe for the smallest packets.
func NewPart(n *Network) (*Part, error) {
	if len(n.Blocks()) != 1 {
		return nil, errors.New("a part is the one block of a process")
	}
	p := &Part{net: n, block: n.Blocks()[0]}
	p.round = p.block.nics.Mail.Round // nonzero when resuming from a checkpoint
	p.walk = p.state
	if a := n.across; a != nil {
		p.sent = make([]sentBytes, a.group.Size())
		for i := range a.known {
			a.known[i] = make([]knownRecord, partRecords)
		}
	}
	p.block.SetWindow(n.ShortestWindow())
	return p, nil
}

// Next implements engine.Part.
func (p *Part) Next() int64 { return p.block.Next() }

// Run implements engine.Part.
func (p *Part) Run(window int64) {
	p.round++
	p.block.Run(window, p.round)
	b, a := p.block, p.net.across
	for to := range p.sent {
		s := &p.sent[to]
		s.data, s.first = s.data[:0], math.MaxInt64
		if to == a.group.Rank() {
			continue
		}
		x := b.nics.Mail.To(uint32(to)) // each process has one block
		if !x.Filled() {
			continue
		}
		s.data, _ = a.packSent(s.data, to)
		if x.First != model.Forever {
			s.first = x.First / b.Window()
		}
	}
	p.emptyMail()
}

// emptyMail removes the data that a window has sent, completely or partly before it failed.
func (p *Part) emptyMail() {
	m := &p.block.nics.Mail
	m.Contents = m.Contents[:0]
	for to := range p.sent {
		m.To(uint32(to)).Empty()
	}
}

// Sent implements engine.Part.
func (p *Part) Sent(to int) (data []byte, first int64) { return p.sent[to].data, p.sent[to].first }

// Receive implements engine.Part.
func (p *Part) Receive(from int, data []byte) {
	a := p.net.across
	r := reader{data}
	a.unpackSent(&r, 0)
	for _, x := range a.filled[0] {
		p.block.takeIn(x)
		x.Empty()
	}
	a.filled[0] = a.filled[0][:0]
}

// Save implements engine.Part.
func (p *Part) Save(to *snapshot.Snapshot) { to.Save(p.walk) }

// Restore implements engine.Part.
func (p *Part) Restore(from *snapshot.Snapshot) {
	from.Restore(p.walk)
	p.emptyMail()
}

// state visits all state that changes during a run: that of the block, its endpoint and its sink,
// and the copies of messages of other blocks.
func (p *Part) state(v *snapshot.Visitor) {
	p.block.State(v)
	if s, ok := p.block.sink.(Stateful); ok {
		s.State(v)
	}
	snapshot.Value(v, &p.round)
	a := p.net.across
	if a == nil {
		return
	}
	for _, known := range a.known {
		snapshot.Values(v, known)
	}
	all := &p.block.nics.Messages.All
	for owner := range a.copies {
		if owner == p.block.nics.Index {
			continue
		}
		c, before := &a.copies[owner], a.copies[owner]
		snapshot.Value(v, c)
		extras := core.ArrayOf(p.net.extras[owner])
		core.WalkFirst(v, all.At(uint32(owner)), 1+c.messages, 1+before.messages)
		core.WalkFirst(v, &extras, 1+c.extras, 1+before.extras)
	}
}

// Window returns the length of windows (ps).
func (p *Part) Window() int64 { return p.block.Window() }

// Now returns the simulated time (ps) up to which the part has been run.
func (p *Part) Now() int64 { return p.block.Now() }

// Work implements engine.Part.
func (p *Part) Work() (work, packets uint64) {
	return p.block.nics.Counters.Visits, p.block.nics.Counters.Hops
}

var _ engine.Part = (*Part)(nil)
