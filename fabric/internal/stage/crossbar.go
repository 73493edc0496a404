package stage

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// Crossbar holds the state of the crossbar ports of a block's routers, and which inputs and outputs
// of the active router are free.
type Crossbar struct {
	Shape
	events  *core.EventWheel
	wheel   *DueWheel
	arbiter *arbiter
	Ports   core.Array[CrossbarPort]
	shares  core.Shares // of outputs among classes
	classed bool        // routers have classes

	// The following fields belong to the active router.
	here            core.ArrayPart[CrossbarPort]
	router          *Router
	first           uint32      // ID of its first port
	Inputs, Outputs core.Bitmap // VCs whose input, or output, port is free
	Taken           uint32      // first output VC of the port that the last packet has started toward
}

func newCrossbar(g *Stages) Crossbar {
	return Crossbar{
		Shape: g.Shape, events: g.Events, wheel: &g.Wheel, arbiter: &g.Arbiter, Ports: g.All.Ports,
		shares: core.NewShares(g.B.Layout, g.All.Lags), classed: g.B.Classed,
	}
}

// vcs returns the number of VCs of the active router.
func (x *Crossbar) vcs() uint32 { return uint32(x.router.NumVCs) }

// At returns a port of the active router.
func (x *Crossbar) At(port uint32) *CrossbarPort { return x.here.At(port) }

// key returns the rank of a packet that requests the crossbar. With adaptive routing the router has
// one grant memory for all outputs, otherwise one for each output port.
func (x *Crossbar) key(index uint32, p *Packet, ask int64) model.Rank {
	var h past
	if x.arbiter.Memory != model.NoMemory {
		vcs := uint32(x.router.NumVCs)
		port, last, times := uint32(0), x.router.last, uint32(0)
		if !x.Adaptive {
			port = x.Port(uint32(p.Out))
			last = uint32(x.At(port).last)
			times = port * vcs
		}
		h.place = int64(port)
		if x.arbiter.Memory == model.LastGrant {
			h.turn = int64((index + vcs - last) % vcs)
		} else {
			h.granted = x.arbiter.granted(times, index)
		}
	}
	rank := x.arbiter.order(p, ask, h)
	if x.classed {
		port := uint32(0)
		if !x.Adaptive {
			port = x.Port(uint32(p.Out))
		}
		return model.Rank{x.shares.Rank(x.first+port, x.classOf(index)), rank[0]}
	}
	return rank
}

// classOf returns the class of messages to which a VC belongs.
func (x *Crossbar) classOf(index uint32) uint32 { return index % x.NumVCs / x.SetVCs }

// Shared records that the class of a VC has got a port for a packet of the given size.
func (x *Crossbar) Shared(index, port, flits uint32) {
	x.shares.Grant(x.first+port, x.classOf(index), flits)
}

// Grant records that an output port has been granted to a VC.
func (x *Crossbar) Grant(index, port uint32) {
	switch {
	case x.arbiter.Memory == model.LastGrant && x.Adaptive:
		x.router.last = index + 1
	case x.arbiter.Memory == model.LastGrant:
		x.At(port).last = uint16(index + 1)
	case x.Adaptive:
		x.arbiter.Grant(0, index, x.events.Now)
	default:
		x.arbiter.Grant(port*uint32(x.router.NumVCs), index, x.events.Now)
	}
}

// CrossbarPort is the crossbar output at a port, together with the link behind it.
type CrossbarPort struct {
	Free     int64  // when it (and the link, without output buffers) is free (ps)
	Fraction uint64 // fraction of a ps left by the last transfer, see core.Rate
	Flits    uint64 // flits sent on the link
	Packets  uint64
	core.PortLayout
	last    uint16 // VC index after the one granted last: the first in round-robin order
	Feeder  uint16 // input port of the last packet sent through this output
	Feeds   uint16 // for the input of the same port: output port of its last packet
	Watched bool   // the timer that fires when the output becomes free is set
	Halted  uint8  // whether an event has halted the link: one of Running to Rising
}

// Busy reports whether the output is in use at the time now (ps), or has become free but not been
// released yet.
func (c *CrossbarPort) Busy(now int64) bool { return c.Free > now || c.Watched }

// Release records that the input of the last packet through an output is free.
func (x *Crossbar) Release(c *CrossbarPort) { x.Inputs.SetSpan(uint32(c.Feeder)*x.NumVCs, x.PortMask) }

// Expect arms the timers of the busy ports that a packet with a fixed route needs. Ports that no
// packet waits for need no timer.
func (x *Crossbar) Expect(index, out uint32) {
	if !x.Outputs.Has(out) {
		x.watch(x.Port(out))
	}
	x.ExpectInput(index)
}

// ExpectInput arms the timer that releases the input of a VC.
func (x *Crossbar) ExpectInput(index uint32) {
	if !x.Inputs.Has(index) {
		x.watch(uint32(x.At(x.Port(index)).Feeds))
	}
}

// IdleInput reports whether the input port of a VC is free.
func (x *Crossbar) IdleInput(index uint32) bool {
	return x.Inputs.Has(index) ||
		x.idle(uint32(x.At(x.Port(index)).Feeds)*x.NumVCs)
}

// idle reports whether the port of an output VC is free.
func (x *Crossbar) idle(out uint32) bool {
	if x.Outputs.Has(out) {
		return true
	}
	port := x.Port(out)
	c := x.At(port)
	if c.Busy(x.events.Now) {
		return false
	}
	x.Outputs.SetSpan(port*x.NumVCs, x.PortMask)
	x.Release(c)
	return true
}

// watch arms the timer of a crossbar output that is busy, or that has become free but not been
// released yet.
func (x *Crossbar) watch(port uint32) {
	c := x.At(port)
	switch {
	case c.Watched:
	case c.Free <= x.events.Now:
		x.Outputs.SetSpan(port*x.NumVCs, x.PortMask)
		x.Release(c)
	default:
		c.Watched = true
		x.wheel.ArmHere(x.wheel.Timers.Ports+port, c.Free)
	}
}

// States of a port that events can halt.
const (
	Running  = iota
	Losing   // it is down, and loses the packets that start
	Draining // it is down, but its last packet has not left
	Down     // no packet passes; no timer is set
	Rising   // its timer is set for now
)

// Rise resumes a port that is up again, and reports whether it is. Otherwise the port's last packet
// has left, and the port is down.
func (c *CrossbarPort) Rise() bool {
	if c.Halted != Rising {
		c.Halted = Down
		return false
	}
	c.Halted, c.Watched = Running, false
	return true
}
