package fabric

import (
	"iter"
	"slices"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// Cuts returns the first cell of each block, followed by the number of cells.
func (c *Cells) Cuts() []int {
	n := c.net
	cuts := make([]int, len(n.blocks)+1)
	for i, b := range n.blocks {
		first, end := c.of(b)
		cuts[i], cuts[i+1] = int(first), int(end)
	}
	return cuts
}

// Recut moves routers between blocks, with their hosts and all packets at them. Afterwards block i
// has cells cuts[i] to cuts[i+1]-1, at least one. Recut must be called between two windows, in a
// network whose cells can move and that is not observed. It does not change the result.
//
// The state of routers, ports, virtual channels and NICs is in arrays that blocks share, and
// packets and messages are numbered across the whole network. So little data really moves: what
// blocks store about the routers beyond their borders, their calendars of coming windows, and
// queues of NICs.
func (c *Cells) Recut(cuts []int) {
	n := c.net
	if n.across != nil {
		c.recutAcross(cuts)
		return
	}
	deliver(n.blocks)
	endStreams(n)
	if n.general == nil {
		borders{n}.join()
	} else {
		publishTogether(n.blocks)
	}
	before := make([]uint32, len(n.blocks))
	for i, b := range n.blocks {
		before[i] = b.nics.First
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

// cut assigns the routers of cells cuts[i] to cuts[i+1]-1 to block i.
func (c *Cells) cut(cuts []int) {
	for i, b := range c.net.blocks {
		first, _ := c.routers(cuts[i])
		_, end := c.routers(cuts[i+1] - 1)
		b.nics.First, b.nics.Count = first, end-first
		c.net.parts.cuts[i], c.net.parts.cuts[i+1] = first, end
	}
}

// deliver makes all blocks process the data that others have sent. From then on they do not sweep
// their FIFOs, until resettle is called.
func deliver(blocks []*Block) {
	for _, b := range blocks {
		if b.fast != nil {
			b.fast.VCs.SweepEvery = 0
		}
	}
	collect(blocks)
}

// collect makes blocks process the data that others have sent, which is removed.
func collect(blocks []*Block) {
	for _, b := range blocks {
		b.Collect(b.nics.Mail.Round + 1)
	}
	for _, b := range blocks {
		for i := range b.nics.Mail.Boxes {
			b.nics.Mail.To(uint32(i)).Empty()
		}
	}
}

// borders handles the links between blocks, on the fast path.
type borders struct{ n *Network }

// join makes each VC that leads to another block use the FIFO there directly, as within a block.
// The FIFO takes back the credit of its ghost, which represented it.
func (x borders) join() {
	n := x.n
	for number := range x.vcs() {
		at := n.state.VCs.At(number)
		if at.Flags&core.ToOtherBlock == 0 {
			giveCredit(n, number)
			continue
		}
		up, down, target := n.otherEnd(number)
		if !n.here(down.nics.Index) {
			continue
		}
		stand := up.fast.VCs.Below(number)
		ghost, in := up.fast.VCs.At(stand), down.fast.VCs.At(target)
		credit := up.fast.VCs.Left(ghost)
		down.fast.VCs.Precede(in, credit)
		in.Flags |= ghost.Flags & core.Wanted
		n.state.VCWaits.At(target).Lack = n.state.VCWaits.At(stand).Lack
		up.fast.VCs.Pool.Drop(ghost)
		*ghost, *n.state.VCWaits.At(stand) = core.VC{}, core.VCWait{}
		at.Flags &^= core.ToOtherBlock
		x.lead(number, target)
	}
}

// giveCredit gives an output VC the credit of a drained FIFO, if the credit is known there.
func giveCredit(n *Network, number uint32) {
	port := n.state.Ports.At(number / n.layout.NumVCs)
	if port.Router >= 0 {
		out, down := n.state.VCs.At(number), n.state.VCs.At(port.Down+number%n.layout.NumVCs)
		if down.Flags&core.Drained != 0 {
			out.Credit = n.layout.Capacity - int32(down.Base)
		}
	}
}

// lead makes VC `number` pull its credit from VC `target`. Since a port's VCs pull from consecutive
// VCs, this takes effect at the port's last VC.
func (x borders) lead(number, target uint32) {
	if vcs := x.n.layout.NumVCs; number%vcs == vcs-1 {
		x.n.state.Ports.At(number / vcs).Down = target - (vcs - 1)
	}
}

// vcs yields the VCs of the ports of this process.
func (x borders) vcs() iter.Seq[uint32] {
	base, vcs := x.n.layout.Spec.Graph.PortBase, x.n.layout.NumVCs
	return func(yield func(uint32) bool) {
		for _, b := range x.n.Blocks() {
			for number := uint32(base[b.nics.First]) * vcs; number < uint32(base[b.nics.First+b.nics.Count])*vcs; number++ {
				if !yield(number) {
					return
				}
			}
		}
	}
}

// separate gives each VC that leads to another block a ghost, which represents the FIFO there and
// holds the credit of the packets that have left that FIFO.
func (x borders) separate() {
	n, l := x.n, x.n.layout
	ghost := l.FirstNICVC + uint32(len(l.Spec.Graph.NICPort))*l.NumVCs
	for port := range l.FirstNICPort {
		router, peer := uint32(l.Spec.Graph.Ports[port].Router), l.Wiring(port).Router
		if peer < 0 || n.blockOf(uint32(peer)) == n.blockOf(router) {
			continue
		}
		if !n.routerHere(router) { // process of the router, where the ghost has these indices
			ghost += l.NumVCs
			continue
		}
		for v := range l.NumVCs {
			x.separateVC(uint32(port)*l.NumVCs+v, ghost)
			ghost++
		}
	}
}

// separateVC implements separate for one VC that leads to another block. For a FIFO of another
// process, across.separateBorders brings the packets that have left it.
func (x borders) separateVC(number, ghost uint32) {
	n := x.n
	up, down, target := n.otherEnd(number)
	up.takeGhost(ghost)
	n.state.VCs.At(ghost).Class = uint8(n.layout.Wiring(target / n.layout.NumVCs).Class)
	at := n.state.VCs.At(number)
	at.Flags |= core.ToOtherBlock
	if number%n.layout.NumVCs == 0 {
		n.state.Ports.At(number / n.layout.NumVCs).Down = ghost
	}
	if !n.here(down.nics.Index) {
		return
	}
	in, stand := n.state.VCs.At(target), n.state.VCs.At(ghost)
	for _, p := range down.fast.VCs.Left(in) {
		up.fast.VCs.LeaveBehind(at, stand, p.Time, p.Flits&core.FlitMask)
	}
	in.Forget()
	stand.Flags = in.Flags & core.Wanted
	n.state.VCWaits.At(ghost).Lack = n.state.VCWaits.At(target).Lack
	in.Flags &^= core.Wanted
}

// publishTogether synchronizes the publishers of blocks, which have reached the same time, so that
// each knows of all queues that may have changed.
func publishTogether(blocks []*Block) {
	soonest, changed, unsettled := model.Forever, false, 0
	for _, b := range blocks {
		p := &b.general.Publish
		soonest, unsettled = min(soonest, p.Out.Soonest), max(unsettled, p.Unsettled)
		changed = changed || p.Changed
	}
	for _, b := range blocks {
		p := &b.general.Publish
		p.Out.Soonest, p.Changed, p.Unsettled = soonest, changed, unsettled
	}
}

// takeOver moves the queues of NICs that belonged to other blocks to block b. before holds the
// first router that each block had.
func takeOver(b *Block, before []uint32) {
	if !b.nics.Queues() {
		return
	}
	for number := b.nics.First; number < b.nics.First+b.nics.Count; number++ {
		from := b.net.blocks[blockFrom(before, number)]
		if from == b || !b.net.here(from.nics.Index) {
			continue
		}
		r := b.nics.Routers.At(number)
		for nic := r.FirstNIC; nic < r.FirstNIC+uint32(r.NumNICs); nic++ {
			b.nics.TakeOver(nic, from.nics)
		}
	}
}

// blockFrom returns the block of a router, given the first routers of all blocks.
func blockFrom(first []uint32, router uint32) int {
	i, found := slices.BinarySearch(first, router)
	if found {
		return i
	}
	return i - 1
}

// resettle rebuilds a block's data about coming windows for its current routers.
func resettle(b *Block) {
	b.nics.Events.First = b.nics.First
	length := b.Window()
	b.nics.Events.Calendar = core.NewCalendar(int(b.nics.Count), length)
	b.nics.Events.Calendar.Cut(length, b.Now())
	remark(b)
	b.model.Recut()
}

// moveEndpoints notifies the endpoints of cells that have moved to another block. before holds the
// first router that each block had.
func (c *Cells) moveEndpoints(before []uint32) {
	for i, e := range c.endpoints {
		first, _ := c.routers(i)
		from, to := blockFrom(before, first), c.net.blockOf(first)
		if e != nil && to != from && c.net.here(from) {
			e.(Mover).Move(c.net.blocks[to])
		}
	}
}
