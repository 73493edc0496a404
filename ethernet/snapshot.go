package ethernet

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"maps"
	"slices"

	"fabricast/fabric"
	"fabricast/internal/snapshot"
)

// errOther is the error of a state that names NICs that the network does not have.
var errOther = errors.New("the state is that of another network")

// Sections saves and restores the state of a network in a file, as fabric.Sections: for each block, a
// section with what has been sent to it, one with what changes in it and in its endpoint, and one with
// what is recorded. A last one holds the caller's own additions. Each process writes those of its
// blocks and its additions, one after the other, and any number of processes can restore them. What
// was sent is restored by all, as all agree on what is next.
type Sections struct{ net *Network }

// SectionsOf returns the Sections of a network.
func SectionsOf(n *Network) Sections { return Sections{n} }

// Cut returns a hash of the assignment of routers to blocks.
func (s Sections) Cut() string {
	hash := sha256.New()
	_ = binary.Write(hash, binary.LittleEndian, s.net.block) // a hash takes everything
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// Save writes the sections. more visits the caller's own additions.
func (s Sections) Save(v *snapshot.Visitor, more func(*snapshot.Visitor)) {
	for _, b := range s.net.Blocks() {
		snapshot.Section(v, b.received)
		snapshot.Section(v, b.visit)
		snapshot.Section(v, b.observed)
	}
	snapshot.Section(v, more)
}

// Restore reads the sections of so many processes. observed says that what was recorded is continued; otherwise something
// else is recorded, or nothing. No block may have run yet.
func (s Sections) Restore(v *snapshot.Visitor, processes int, observed bool, more func(*snapshot.Visitor)) {
	n := s.net
	own := n.Blocks()
	for p := range processes {
		first, end := blocksOf(p, processes, len(n.blocks))
		for _, b := range n.blocks[first:end] {
			here := slices.Contains(own, b)
			snapshot.Section(v, b.received)
			sectionIf(here, v, b.visit)
			sectionIf(here && observed, v, b.observed)
		}
		snapshot.Section(v, more)
	}
	if n.across != nil { // what was sent in the last round has been exchanged
		n.across.round = own[0].round
	}
}

// sectionIf reads a section, or skips it.
func sectionIf(is bool, v *snapshot.Visitor, walk func(*snapshot.Visitor)) {
	if is {
		snapshot.Section(v, walk)
		return
	}
	snapshot.Skip(v)
}

// visit visits what changes during a run in a block and its endpoint.
func (b *Block) visit(v *snapshot.Visitor) {
	b.Pool.State(v)
	b.queue.State(v)
	snapshot.List(v, &b.packets.list)
	snapshot.Value(v, &b.packets.free)
	snapshot.List(v, &b.telemetry.list)
	snapshot.Value(v, &b.telemetry.free)
	b.flowsState(v)
	b.devicesState(v)
	snapshot.Value(v, &b.round)
	snapshot.Value(v, &b.now)
	snapshot.Value(v, &b.events)
	snapshot.Value(v, &b.toldAt)
	snapshot.Value(v, &b.counts)
	snapshot.Values(v, b.byClass[:])
	b.pausesState(v)
	snapshot.Value(v, &b.moved)
	progress := b.progress.Load()
	snapshot.Value(v, &progress)
	if e, ok := b.endpoint.(fabric.Stateful); ok {
		e.State(v)
	}
	if v.Restores() {
		b.progress.Store(progress)
	}
}

// received visits what blocks have sent to this one.
func (b *Block) received(v *snapshot.Visitor) {
	for _, from := range b.net.blocks {
		for k := range from.mail[b.index].boxes {
			from.mail[b.index].boxes[k].state(v)
		}
	}
}

// observed visits what is recorded of a block and its endpoint.
func (b *Block) observed(v *snapshot.Visitor) {
	if b.bins != nil {
		b.bins.state(v)
	}
	if b.follows {
		snapshot.List(v, &b.trails)
	}
	if e, ok := b.endpoint.(fabric.Observed); ok {
		e.StateOfObservation(v)
	}
}

// flowsState visits the flows that start and end in a block.
func (b *Block) flowsState(v *snapshot.Visitor) {
	senders := v.Length(len(b.senders))
	for i := range senders {
		b.senderState(v, i)
	}
	receivers := v.Length(len(b.receivers))
	for i := range receivers {
		if v.Restores() {
			b.receivers = append(b.receivers, &receiver{})
		}
		r := b.receivers[i]
		snapshot.Value(v, &r.receiverState)
		r.messages.state(v)
		snapshot.List(v, &r.arrived.words)
		snapshot.Value(v, &r.arrived.first)
		snapshot.Value(v, &r.arrived.end)
		b.income[flowKey{r.src, r.nic, r.flow}] = r.index
	}
}

// senderState visits a flow that starts in a block.
func (b *Block) senderState(v *snapshot.Visitor, i int) {
	var state senderState
	if !v.Restores() {
		state = b.senders[i].senderState
	}
	snapshot.Value(v, &state)
	if v.Restores() {
		if nics := uint32(len(b.net.nics)); uint32(state.nic) >= nics || uint32(state.dst) >= nics {
			v.Fail(errOther)
		}
		if v.Err() != nil {
			return
		}
		f := b.newSender(flowKey{state.nic, state.dst, state.pair})
		f.senderState = state
		b.senders = append(b.senders, f)
		b.outgo[flowKey{state.nic, state.dst, state.pair}] = state.index
	}
	f := b.senders[i]
	snapshot.Values(v, f.control)
	snapshot.Values(v, f.choice)
	f.jobs.state(v)
	f.packets.state(v)
	if !v.Flag(f.course != nil) {
		return
	}
	if f.course == nil {
		f.course = &course{}
	}
	snapshot.Value(v, &f.course.from)
	snapshot.Value(v, &f.course.interval)
	snapshot.List(v, &f.course.samples)
}

// devicesState visits the switches, NICs and timers of a block.
func (b *Block) devicesState(v *snapshot.Visitor) {
	n := b.net
	b.eachPort(func(p *port) { p.state(v) })
	for router, block := range n.block {
		if block == b.index && n.sharedUsed != nil {
			snapshot.Value(v, &n.sharedUsed[router])
		}
	}
	b.eachNIC(func(nic int) { n.nics[nic].state(v) })
	for _, host := range b.hosts {
		snapshot.Value(v, &n.timers[host])
	}
}

func (p *port) state(v *snapshot.Visitor) {
	snapshot.Values(v, p.queues)
	snapshot.Value(v, &p.headers)
	snapshot.Value(v, &p.bytes)
	snapshot.Value(v, &p.headerBytes)
	snapshot.Value(v, &p.sending)
	snapshot.Value(v, &p.turn)
	snapshot.Value(v, &p.rounds)
	snapshot.Value(v, &p.use)
	snapshot.Values(v, p.in)
	snapshot.Value(v, &p.told)
	snapshot.Value(v, &p.rate)
	snapshot.Value(v, &p.down)
	snapshot.Value(v, &p.broken)
	snapshot.Value(v, &p.avoided)
}

func (n *nic) state(v *snapshot.Visitor) {
	snapshot.Value(v, &n.control)
	for i := range n.ready {
		n.ready[i].state(v)
		snapshot.Value(v, &n.ready[i].paused)
	}
	snapshot.Value(v, &n.rounds)
	n.posted.state(v)
	snapshot.Value(v, &n.pairs)
	snapshot.List(v, &n.flows)
	snapshot.List(v, &n.followed)
	snapshot.Value(v, &n.sending)
	snapshot.Value(v, &n.rate)
	snapshot.Value(v, &n.down)
	snapshot.Value(v, &n.turn)
	snapshot.Value(v, &n.use)
	n.grants.active.state(v)
	n.grants.idle.state(v)
	snapshot.Value(v, &n.grants.running)
}

func (x *box) state(v *snapshot.Visitor) {
	snapshot.List(v, &x.packets)
	snapshot.List(v, &x.pauses)
	snapshot.List(v, &x.messages)
	snapshot.List(v, &x.extras)
	snapshot.List(v, &x.hops)
	snapshot.List(v, &x.trails)
	snapshot.Value(v, &x.first)
}

// pausesState visits the sums of pauses.
func (b *Block) pausesState(v *snapshot.Visitor) {
	type entry struct {
		key  cause
		sums PauseSums
	}
	var list []entry
	if !v.Restores() {
		for _, key := range slices.SortedFunc(maps.Keys(b.pauses), compareCauses) {
			list = append(list, entry{key, b.pauses[key]})
		}
	}
	snapshot.List(v, &list)
	if v.Restores() {
		for _, e := range list {
			b.pauses[e.key] = e.sums
		}
	}
}

// state visits the current bin.
func (x *bins) state(v *snapshot.Visitor) {
	snapshot.Value(v, &x.begin)
	snapshot.Value(v, &x.until)
	snapshot.Value(v, &x.interval)
	queues := x.b.net.queuesOfPort()
	for _, l := range x.links {
		snapshot.Value(v, &x.b.net.tallies[l.place])
		if at := int(l.place); at < len(x.b.net.ports) {
			snapshot.Values(v, x.b.net.held[at*queues:(at+1)*queues])
		}
	}
}
