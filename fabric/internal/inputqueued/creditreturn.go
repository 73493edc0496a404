package inputqueued

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
)

// CreditReturn returns credit to the packet that holds an output VC and waits for it, on the fast
// path.
type CreditReturn struct {
	numVCs  uint32
	events  *core.EventWheel
	vcs     *VCs
	mail    *core.Outbox
	routers core.Array[core.Router]
}

// creditTime returns the time (ps) at which the output VC will have credit for the given number of
// flits, if the departures that return it are known. Otherwise it returns Forever, and the
// departure that returns the credit wakes the holder. The caller must pull credit first.
func (c *CreditReturn) creditTime(out *core.VC, number uint32, flits int32) int64 {
	down := c.vcs.At(number)
	lacking := flits - out.Credit
	if down.Flags&core.Drained != 0 {
		return down.Timer + c.vcs.classes.At(uint32(down.Class)).Credit
	}
	for i := down.Pull; i != down.Head; i++ {
		p := c.vcs.Nth(down, i)
		lacking -= int32(p.Flits & core.FlitMask)
		if lacking <= 0 {
			return p.Time
		}
	}
	if down.Flags&core.Streamed != 0 {
		at, rest := c.vcs.impliedTime(number, lacking)
		if rest <= 0 {
			return at
		}
		lacking = rest
	}
	c.vcs.More.At(number).Lack = uint16(lacking)
	down.Flags |= core.Wanted
	return model.Forever
}

// giveBack returns the buffer space of a departing packet, if its upstream side waits for credit or
// is in another block. The space becomes known upstream at the time `at` (ps).
func (c *CreditReturn) giveBack(r *core.Router, timer uint32, in *core.VC, at int64, flits uint16) {
	if in.Flags&core.ToOtherBlock != 0 {
		number := r.Base + timer
		port, vc := number/c.numVCs, number%c.numVCs
		c.mail.SendCredit(uint32(c.vcs.ports.At(port).Router), c.vcs.Beyond(port)+vc, at, flits)
		in.Pull++
		return
	}
	number := r.Base + timer
	if !c.vcs.enough(in, number, flits) {
		return
	}
	if in.Flags&core.ToHost != 0 {
		c.events.Arm(r, uint32(r.Wakes)+uint32(^c.vcs.ports.At(number/c.numVCs).Router)-r.FirstNIC, at)
		return
	}
	port := c.vcs.ports.At(number / c.numVCs)
	c.rouse(uint32(port.Router), port.Down+number%c.numVCs, at) // a port sends to the port that it receives from
}

// enough reports whether a packet of the given size that has left a FIFO returns the last credit
// that the upstream holder lacks. If so, the holder no longer counts as waiting.
func (v *VCs) enough(l *core.VC, number uint32, flits uint16) bool {
	more := v.More.At(number)
	if flits &= core.FlitMask; flits < more.Lack {
		more.Lack -= flits
		return false
	}
	l.Flags &^= core.Wanted
	return true
}

// rouse sets the timer of the packet that holds an output VC, so that it repeats its request at the
// time `at` (ps).
func (c *CreditReturn) rouse(router, number uint32, at int64) {
	out := c.vcs.At(number)
	timer := uint32(out.Owner) - 1
	ahead := c.events.Calendar.Ahead(at)
	if ahead == 0 || ahead >= core.Wheel {
		c.events.Arm(c.routers.At(router), timer, at)
		return
	}
	c.vcs.At(number - uint32(out.Number) + timer).Timer = at
	// this avoids reading the router's record, which is not in the cache
	c.events.MarkNear(router, c.events.FirstWord(router)+timer>>6, timer, ahead)
}

// await makes a NIC without enough credit try again when it has enough.
func (c *CreditReturn) await(
	r *core.Router, timer uint32, out *core.VC, number uint32, flits int32,
) {
	if at := c.creditTime(out, number, flits); at != model.Forever {
		c.events.Arm(r, timer, at)
	}
}

// hold makes the first packet of a VC the holder of an output VC that lacks credit for it.
func (c *CreditReturn) hold(
	r *core.Router, timer uint32, out *core.VC, number uint32, flits int32,
) {
	out.Owner = uint16(timer + 1)
	if at := c.creditTime(out, number, flits); at != model.Forever {
		c.events.Arm(r, timer, at) // if the NIC's memory is slow, credit may return long after this
	}
}

// unpark ends the hold on an output VC. The packets that waited for it repeat their requests at the
// time `free` (ps).
func (c *CreditReturn) unpark(r *core.Router, out uint32, free int64) {
	c.vcs.At(r.FirstVC + out).Owner = 0
	more := c.vcs.More.At(r.FirstVC + out)
	for index := uint32(more.Park); index != 0; {
		in := c.vcs.At(r.FirstVC + index - 1)
		next := uint32(in.Timer)
		c.events.Schedule(r, uint32(r.First)+index-1, in, free)
		index = next
	}
	more.Park = 0
}

// take adds credit received from another block, or from a NIC's bus, to the FIFO that represents
// the one downstream.
func (c *CreditReturn) take(m *core.CreditMail) {
	out := c.vcs.At(m.VC)
	number := c.vcs.Below(m.VC)
	down := c.vcs.At(number)
	c.vcs.LeaveBehind(out, down, m.At, m.Flits)
	if down.Flags&core.Wanted != 0 && c.vcs.enough(down, number, m.Flits) {
		c.rouse(m.Router, m.VC, m.At)
	}
}
