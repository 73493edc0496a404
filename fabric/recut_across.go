package fabric

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
	"fabricast/internal/cluster"
	"fabricast/internal/snapshot"
)

// Settler creates and removes the endpoints of cells that move between processes.
type Settler interface {
	// Settle creates the endpoint of a cell that has arrived from another process, and installs it
	// (Cell.SetEndpoint). Its state is restored afterwards, so Settle must not set timers or post
	// messages.
	Settle(c *Cell)
	// Leave removes the endpoint of a cell that has moved to another process.
	Leave(e model.Endpoint)
}

// Settler sets the Settler for cells that move between processes. Without one, cells stay in their
// process.
func (c *Cells) Settler(s Settler) { c.settler = s }

// Resident is an Endpoint that may have to stay in its process, for example because it has stacks.
type Resident interface {
	// Stays reports whether the endpoint has to stay in its process.
	Stays() bool
}

// relocation is one move of routers in a network that several processes share. All processes take
// part in it, between the same two windows.
//
// A router's state is at the same position in the arrays of every process, and so is a packet. The
// position of a packet is owned by the process that has the packet, or in which the position is
// free. Packets therefore keep their IDs. When a packet has moved to another process, its position
// is freed there.
type relocation struct {
	cells  *Cells
	a      *across
	before []uint32 // by block: its first router before the move
	cuts   []int
	// by block and index: birth of the message that currently has that index (see
	// core.MessageTable.Births); 0: none
	live [][]uint32
	data [][]byte // by process: data received from it
}

// recutAcross implements Recut for a network that several processes share.
func (c *Cells) recutAcross(cuts []int) {
	n := c.net
	r := relocation{cells: c, a: n.across, cuts: cuts}
	for _, b := range n.blocks {
		r.before = append(r.before, b.nics.First)
	}
	r.a.deliver()
	endStreams(n)
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

// deliver makes the blocks of this process process the data that all others have sent. From then on
// they do not sweep their FIFOs, until resettle is called.
func (a *across) deliver() {
	own := a.net.Blocks()
	deliver(own)
	a.emptyFilled(own[0].nics.Mail.Round)
}

// emptyFilled removes what other processes have sent in a round.
func (a *across) emptyFilled(round uint64) {
	for _, x := range a.filled[round&1] {
		x.Empty()
	}
	a.filled[round&1] = a.filled[round&1][:0]
}

// own assigns routers to their new blocks. For cells that arrive in or leave this process, it
// creates or removes the endpoints.
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

// blockOf returns the block that has a cell.
func (c *Cells) blockOf(cell int) int {
	first, _ := c.routers(cell)
	return c.net.blockOf(first)
}

// processes returns the process that had a cell, and the process that gets it.
func (r *relocation) processes(cell int) (from, to int) {
	first, _ := r.cells.routers(cell)
	for to+1 < len(r.cuts)-1 && r.cuts[to+1] <= cell {
		to++
	}
	return int(r.a.process[blockFrom(r.before, first)]), int(r.a.process[to])
}

// pack returns the data to be sent to each process.
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

// unpack processes the data received from the other processes.
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

// moving returns the cells that move from one process to another.
func (r *relocation) moving(from, to int) (list []int) {
	for i := range r.cells.endpoints {
		if f, t := r.processes(i); f == from && t == to {
			list = append(list, i)
		}
	}
	return list
}

// extent returns the share of a cell's routers in the arrays that are common to all blocks.
func (c *Cells) extent(cell int) core.Extent {
	first, end := c.routers(cell)
	return c.net.layout.Extent(first, end-first, c.net.layout.HostRuns(first, end))
}

// state visits the state of the given cells.
func (r *relocation) state(v *snapshot.Visitor, cells []int) {
	n := r.cells.net
	for _, i := range cells {
		first, _ := r.cells.routers(i)
		b := n.blocks[n.blockOf(first)] // block that has them now
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
