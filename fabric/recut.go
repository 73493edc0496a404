package fabric

import (
	"iter"
	"slices"
)

// Cuts returns the first cell of each block, and behind them the number of cells.
func (c *Cells) Cuts() []int {
	n := c.net
	cuts := make([]int, len(n.blocks)+1)
	for i, b := range n.blocks {
		first, end := c.of(b)
		cuts[i], cuts[i+1] = int(first), int(end)
	}
	return cuts
}

// Recut moves routers between blocks, with their hosts and all that is under way at them: from now
// on block i has the cells from cuts[i] to cuts[i+1]-1, at least one. Call it between two windows, in
// a network whose cells move and that is not observed. It changes no result.
//
// What belongs to routers, ports, virtual channels and NICs is in arrays that blocks share, and
// packets and messages have names in the whole network. So few things really move: what blocks have
// about the routers beyond their borders, what they know of coming windows, and queues of NICs.
func (c *Cells) Recut(cuts []int) {
	n := c.net
	if n.across != nil {
		c.recutAcross(cuts)
		return
	}
	deliver(n.blocks)
	if n.general == nil {
		borders{n}.join()
	} else {
		publishTogether(n.blocks)
	}
	before := make([]uint32, len(n.blocks))
	for i, b := range n.blocks {
		before[i] = b.nics.first
	}
	c.cut(cuts)
	for _, b := range n.blocks {
		b.saver.changed()
		takeOver(b, before)
	}
	if n.general == nil {
		borders{n}.separate()
	}
	for _, b := range n.blocks {
		resettle(b)
	}
	c.moveEndpoints(before)
}

// cut makes the routers of cells cuts[i] to cuts[i+1]-1 those of block i.
func (c *Cells) cut(cuts []int) {
	for i, b := range c.net.blocks {
		first, _ := c.routers(cuts[i])
		_, end := c.routers(cuts[i+1] - 1)
		b.nics.first, b.nics.count = first, end-first
		c.net.parts.cuts[i], c.net.parts.cuts[i+1] = first, end
	}
}

// deliver makes all blocks take in what others have sent. From then on they do not sweep, until they
// are resettled.
func deliver(blocks []*Block) {
	for _, b := range blocks {
		if b.fast != nil {
			b.fast.lanes.sweepEvery = 0
		}
		b.Collect(b.nics.mail.round + 1)
	}
	for _, b := range blocks {
		for i := range b.nics.mail.boxes {
			b.nics.mail.to(uint32(i)).empty()
		}
	}
}

// borders are the places at which blocks meet, on the fast path.
type borders struct{ n *Network }

// join makes each lane that leads to another block use the FIFO there, as within a block: that takes
// back the credit of its ghost.
func (x borders) join() {
	n := x.n
	for number := range x.lanes() {
		at := n.state.lanes.at(number)
		if at.way&outside == 0 {
			n.settle(number)
			continue
		}
		up, down, target := n.otherEnd(number)
		if !n.here(down.nics.index) {
			continue
		}
		stand := up.fast.lanes.below(number)
		ghost, in := up.fast.lanes.at(stand), down.fast.lanes.at(target)
		credit := up.fast.lanes.left(ghost)
		down.fast.lanes.precede(in, credit)
		in.way |= ghost.way & wanted
		n.state.laneMore.at(target).lack = n.state.laneMore.at(stand).lack
		up.fast.lanes.pool.drop(ghost)
		*ghost, *n.state.laneMore.at(stand) = lane{}, laneMore{}
		at.way &^= outside
		x.lead(number, target)
	}
}

// settle lets an output lane take the credit of a drained FIFO that is known there.
func (n *Network) settle(number uint32) {
	port := n.state.ports.at(number / n.layout.vcs)
	if port.router >= 0 {
		out, down := n.state.lanes.at(number), n.state.lanes.at(port.down+number%n.layout.vcs)
		if down.way&drained != 0 {
			out.credit = n.layout.capacity - int32(down.base)
		}
	}
}

// lead makes the VCs of a port pull their credit from those of another port, once the last of them
// does: from the lane `target` that one.
func (x borders) lead(number, target uint32) {
	if vcs := x.n.layout.vcs; number%vcs == vcs-1 {
		x.n.state.ports.at(number / vcs).down = target - (vcs - 1)
	}
}

// lanes yields the lanes of the ports of this process.
func (x borders) lanes() iter.Seq[uint32] {
	base, vcs := x.n.layout.spec.Graph.PortBase, x.n.layout.vcs
	return func(yield func(uint32) bool) {
		for _, b := range x.n.Blocks() {
			for number := uint32(base[b.nics.first]) * vcs; number < uint32(base[b.nics.first+b.nics.count])*vcs; number++ {
				if !yield(number) {
					return
				}
			}
		}
	}
}

// separate gives each lane that leads to another block a ghost, which takes over the credit of what
// has left the FIFO there.
func (x borders) separate() {
	n, l := x.n, x.n.layout
	ghost := l.nicLanes + uint32(len(l.spec.Graph.NICPort))*l.vcs
	for port := range l.nicPorts {
		router, peer := uint32(l.spec.Graph.Ports[port].Router), l.wiring(port).router
		if peer < 0 || n.blockOf(uint32(peer)) == n.blockOf(router) {
			continue
		}
		if !n.routerHere(router) { // where it is, it has these numbers
			ghost += l.vcs
			continue
		}
		for v := range l.vcs {
			x.separateLane(uint32(port)*l.vcs+v, ghost)
			ghost++
		}
	}
}

// separateLane does what separate does, for a lane that leads to another block. What has left the FIFOs of
// other processes these know, see across.separateBorders.
func (x borders) separateLane(number, ghost uint32) {
	n := x.n
	up, down, target := n.otherEnd(number)
	up.takeGhost(ghost)
	at := n.state.lanes.at(number)
	at.way |= outside
	if number%n.layout.vcs == 0 {
		n.state.ports.at(number / n.layout.vcs).down = ghost
	}
	if !n.here(down.nics.index) {
		return
	}
	in, stand := n.state.lanes.at(target), n.state.lanes.at(ghost)
	for _, p := range down.fast.lanes.left(in) {
		up.fast.lanes.leaveBehind(at, stand, p.time, p.flits&flitMask)
	}
	in.forget()
	stand.way = in.way & wanted
	n.state.laneMore.at(ghost).lack = n.state.laneMore.at(target).lack
	in.way &^= wanted
}

// publishTogether makes the publishers of blocks, which have come equally far, know of all queues
// that may have changed.
func publishTogether(blocks []*Block) {
	soonest, changed, unsettled := Forever, false, 0
	for _, b := range blocks {
		p := &b.general.publish
		soonest, unsettled = min(soonest, p.out.soonest), max(unsettled, p.unsettled)
		changed = changed || p.changed
	}
	for _, b := range blocks {
		p := &b.general.publish
		p.out.soonest, p.changed, p.unsettled = soonest, changed, unsettled
	}
}

// takeOver lets a block take over the queues of NICs that belonged to other blocks. before are the
// first routers that blocks had.
func takeOver(b *Block, before []uint32) {
	if b.nics.send.turns == nil && b.nics.bus == nil {
		return
	}
	for number := b.nics.first; number < b.nics.first+b.nics.count; number++ {
		from := b.net.blocks[blockFrom(before, number)]
		if from == b || !b.net.here(from.nics.index) {
			continue
		}
		r := b.nics.routers.at(number)
		for nic := r.nics; nic < r.nics+uint32(r.nNICs); nic++ {
			b.nics.takeOver(nic, from.nics)
		}
	}
}

// blockFrom returns the block that has a router, by the first routers of all blocks.
func blockFrom(first []uint32, router uint32) int {
	i, found := slices.BinarySearch(first, router)
	if found {
		return i
	}
	return i - 1
}

// resettle makes what a block knows of coming windows fit its routers.
func resettle(b *Block) {
	b.nics.events.first = b.nics.first
	length := b.Window()
	b.nics.events.calendar = newCalendar(int(b.nics.count), length)
	b.nics.events.calendar.cut(length, b.Now())
	remark(b)
	b.model.recut()
}

// moveEndpoints tells the endpoints of cells that have come to another block. before are the first
// routers that blocks had.
func (c *Cells) moveEndpoints(before []uint32) {
	for i, e := range c.endpoints {
		first, _ := c.routers(i)
		from, to := blockFrom(before, first), c.net.blockOf(first)
		if e != nil && to != from && c.net.here(from) {
			e.(Mover).Move(c.net.blocks[to])
		}
	}
}
