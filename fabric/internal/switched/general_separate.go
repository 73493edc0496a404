package switched

import (
	"fabricast/fabric/internal/stage"
	"fabricast/fabric/model"
)

// instantSeparately implements instant for separate allocation.
func (g *Routers) instantSeparately(since uint64) {
	g.takeDueSeparately(since)
	switch {
	case g.Alloc.Separable:
		g.Alloc.AllocateVCsSeparably()
	case g.Alloc.Chooses:
		g.Alloc.ChooseVCs()
	default:
		g.Alloc.AllocateVCs()
	}
	if g.Alloc.Separable {
		g.allocateCrossbarSeparably()
	} else {
		g.allocateCrossbar()
	}
	if g.Buffered {
		g.takeDueSeparately(since)
		g.serveLinks()
	}
}

// takeDueSeparately handles the timers of this instant: it records which packets can now make
// requests.
func (g *Routers) takeDueSeparately(since uint64) {
	for {
		timer, ok := g.Wheel.Due.Take(since)
		switch {
		case !ok:
			return
		case timer < g.Wheel.Timers.Ports:
			g.Alloc.AskNext(timer)
		case timer < g.Wheel.Timers.OutputVCs:
			g.freeSeparately(timer - g.Wheel.Timers.Ports)
		case timer < g.Wheel.Timers.Links:
			out := timer - g.Wheel.Timers.OutputVCs
			g.Out.At(out).Armed = false
			if g.Buffered {
				g.Links.Busy.Set(g.Port(out))
			}
		default:
			out := g.Links.Freed(timer - g.Wheel.Timers.Links)
			g.Out.BufferAt(out).Short = false
		}
	}
}

// freeSeparately records that a crossbar output has become free, together with the input and the VC
// of the departed packet.
func (g *Routers) freeSeparately(port uint32) {
	c := g.Crossbar.At(port)
	if c.Halted > stage.Losing {
		g.freeHaltedSeparately(port, c)
		return
	}
	c.Watched = false
	g.Crossbar.Outputs.SetSpan(port*g.NumVCs, g.PortMask)
	g.Crossbar.Release(c)
	g.Alloc.OwnedAt(uint32(g.Alloc.TurnAt(port).Leaving)).Owner = 0
}

// allocateCrossbar starts packets that own a VC, in arbitration order.
func (g *Routers) allocateCrossbar() {
	list := g.Alloc.Owners()
	for len(list) > 0 {
		first := 0
		for i := range list {
			if list[i].Before(&list[first].Requester) {
				first = i
			}
		}
		c := list[first].Requester
		list[first] = list[len(list)-1]
		list = list[:len(list)-1]
		if g.Crossbar.Inputs.Has(uint32(c.Input)) && g.Crossbar.Outputs.Has(uint32(c.Out)) {
			g.startOwner(&c)
		}
	}
}

// startOwner starts a packet that owns a VC, if there is space for it.
func (g *Routers) startOwner(c *stage.Requester) {
	out := uint32(c.Out)
	o := g.Out.At(out)
	p := g.Pool.Packets.At(c.Packet)
	if !g.spaceFor(uint32(c.Input), out, o, p) {
		return
	}
	g.Alloc.Owning.Clear(uint32(c.Input))
	g.Alloc.TurnAt(g.Port(out)).Leaving = uint16(out)
	g.start(uint32(c.Input), c.Packet, p, o)
}

// spaceFor reports whether there is space for a packet that owns a VC. If not, it requests a
// notification of returned space.
func (g *Routers) spaceFor(index, out uint32, o *stage.OutputVC, p *stage.Packet) bool {
	if g.Out.HasSpace(out, g.Out.Flow.Asks(index, p)) {
		return true
	}
	if g.Observer != nil {
		g.Observer.Held(g.R.FirstVC + out)
	}
	g.Out.Want(out, o)
	return false
}

// allocateCrossbarSeparably starts packets that own a VC, with a separable allocator whose inputs
// are input ports.
func (g *Routers) allocateCrossbarSeparably() {
	list := g.Alloc.Owners()
	n := 0
	for _, c := range list { // keep those that have space
		out := uint32(c.Out)
		if g.spaceFor(uint32(c.Input), out, g.Out.At(out), g.Pool.Packets.At(c.Packet)) {
			list[n] = c
			n++
		}
	}
	list = list[:n]
	for i := range list {
		if g.Alloc.ChosenByInput(list, &list[i]) {
			list[i].Chosen = stage.ByInput
		}
	}
	for i := range list {
		if list[i].Chosen == stage.ByInput && g.Alloc.ChosenByOutput(list, &list[i]) {
			list[i].Chosen = stage.ByBoth
		}
	}
	for i := range list {
		c := &list[i]
		index := uint32(c.Input)
		if c.Chosen != stage.ByBoth {
			g.Waits.Asks.Clear(index)
			g.Alloc.AskAgain(index, g.Alloc.GrantTime)
			continue
		}
		turn := g.Alloc.TurnAt(g.Port(index))
		turn.Passed, turn.Toward = uint16(index+1), *g.PortOf.At(uint32(c.Out))+1
		if g.Arbiter.Memory == model.GrantTimes {
			g.Arbiter.Grant(g.Alloc.RouterGrants()+g.Alloc.VCs, index, g.Events.Now)
		}
		g.startOwner(&c.Requester)
	}
}
