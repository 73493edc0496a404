package fabric

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
	"fabricast/internal/cluster"
	"fabricast/internal/snapshot"
)

// Settler makes and forgets the endpoints of cells that move between processes.
type Settler interface {
	// Settle makes the endpoint of a cell that has come from another process, and installs it
	// (Cell.SetEndpoint). Its state is restored then, so it sets no timers and posts nothing.
	Settle(c *Cell)
	// Leave forgets the endpoint of a cell that has gone to another process.
	Leave(e model.Endpoint)
}

// Settler says who makes and forgets the endpoints of cells. Without one cells stay in their process.
func (c *Cells) Settler(s Settler) { c.settler = s }

// Resident is an Endpoint that may have to stay in its process: with stacks, for example.
type Resident interface {
	// Stays reports whether it has to.
	Stays() bool
}

// relocation is one move of routers in a network that several processes share. All processes take
// part in it, between the same windows.
//
// A router's state has the same place in the arrays of each process, and so has a packet: places of
// packets belong to the process that has the packet, or in which the place is free. Packets therefore
// keep their names, and a place that has gone to another process with its packet is given back there.
type relocation struct {
	cells  *Cells
	a      *across
	before []uint32 // first router of each block, as it was
	cuts   []int
	// by block and index: which message of that index is under way, see messageTable.births; 0: none
	live [][]uint32
	data [][]byte // by process: what comes from it
}

// recutAcross does what Recut does if several processes share the network.
func (c *Cells) recutAcross(cuts []int) {
	n := c.net
	r := relocation{cells: c, a: n.across, cuts: cuts}
	for _, b := range n.blocks {
		r.before = append(r.before, b.nics.First)
	}
	r.a.deliver()
	if n.general == nil {
		borders{n}.join()
		r.a.joinBorders()
	}
	r.live = r.a.shareLive()
	r.a.dropOld(r.live)
	r.data = cluster.Ship(n.across.group, r.pack())
	r.own()
	r.unpack()
	if n.general == nil {
		borders{n}.separate()
		r.a.separateBorders()
	}
	for _, b := range n.Blocks() {
		resettle(b)
	}
	c.moveEndpoints(r.before)
}

// deliver makes the blocks of this process take in what all others have sent. From then on they do
// not sweep, until they are resettled.
func (a *across) deliver() {
	own := a.net.Blocks()
	round := own[0].nics.Mail.Round
	for _, b := range own {
		if b.fast != nil {
			b.fast.VCs.SweepEvery = 0
		}
		b.Collect(round + 1)
	}
	for _, b := range own {
		for i := range b.nics.Mail.Boxes {
			b.nics.Mail.To(uint32(i)).Empty()
		}
	}
	for _, x := range a.filled[round&1] {
		x.Empty()
	}
	a.filled[round&1] = a.filled[round&1][:0]
}

// own makes the routers those of the blocks to which they now belong, and the endpoints of cells that
// come or go those of this process or of no one here.
func (r *relocation) own() {
	c, n := r.cells, r.cells.net
	r.cells.cut(r.cuts)
	for p := range r.a.known {
		clear(r.a.known[p])
	}
	for _, b := range n.Blocks() {
		b.saver.changed()
		takeOver(b, r.before)
	}
	for i := range c.endpoints {
		from, to := r.processes(i)
		switch me := r.a.group.Rank(); {
		case from == to:
		case from == me:
			e := c.endpoints[i]
			c.install(i, nil)
			if e != nil {
				c.settler.Leave(e)
			}
			first, _ := c.routers(i)
			n.blocks[blockFrom(r.before, first)].model.DiscardAt(c.extent(i))
		case to == me:
			c.settler.Settle(&Cell{n.blocks[c.blockOf(i)], c, i})
		}
	}
}

// blockOf returns the block that a cell belongs to.
func (c *Cells) blockOf(cell int) int {
	first, _ := c.routers(cell)
	return c.net.blockOf(first)
}

// processes returns which process had a cell, and which gets it.
func (r *relocation) processes(cell int) (from, to int) {
	first, _ := r.cells.routers(cell)
	for to+1 < len(r.cuts)-1 && r.cuts[to+1] <= cell {
		to++
	}
	return int(r.a.process[blockFrom(r.before, first)]), int(r.a.process[to])
}

// pack returns, by process, what goes there.
func (r *relocation) pack() [][]byte {
	out := make([][]byte, r.a.group.Size())
	for p := range out {
		if moving := r.moving(r.a.group.Rank(), p); p != r.a.group.Rank() && len(moving) > 0 {
			out[p] = snapshot.Pack(func(v *snapshot.Visitor) {
				r.messages(v, r.a.group.Rank())
				r.state(v, moving)
			})
		}
	}
	return out
}

// unpack takes in what comes from the other processes.
func (r *relocation) unpack() {
	me := r.a.group.Rank()
	for p, data := range r.data {
		if p == me || len(data) == 0 {
			continue
		}
		err := snapshot.Unpack(data, func(v *snapshot.Visitor) {
			r.messages(v, p)
			r.state(v, r.moving(p, me))
		})
		if err != nil {
			panic(err)
		}
	}
}

// moving returns the cells that go from one process to another.
func (r *relocation) moving(from, to int) (list []int) {
	for i := range r.cells.endpoints {
		if f, t := r.processes(i); f == from && t == to {
			list = append(list, i)
		}
	}
	return list
}

// extent returns the share of a cell's routers in the arrays of all blocks.
func (c *Cells) extent(cell int) core.Extent {
	first, end := c.routers(cell)
	return c.net.layout.Extent(first, end-first, c.net.layout.HostRuns(first, end))
}

// state goes over the state of some cells.
func (r *relocation) state(v *snapshot.Visitor, cells []int) {
	n := r.cells.net
	for _, i := range cells {
		first, _ := r.cells.routers(i)
		b := n.blocks[n.blockOf(first)] // that has them now
		if !v.Restores() {
			b = n.blocks[blockFrom(r.before, first)]
		}
		x := r.cells.extent(i)
		b.model.StateAt(v, x)
		b.model.PacketsAt(v, x)
		if s := r.cells.states[i]; s != nil {
			s.State(v)
		}
	}
}
