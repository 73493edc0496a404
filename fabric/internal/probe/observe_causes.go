package probe

import (
	"fabricast/fabric/internal/core"

	"fabricast/internal/causes"
)

// charge charges a wait of the first packet of a VC for an output, on the fast path, if it is the last
// packet of its message. How long it waits behind other packets is not observed: it is the rest of its
// time in the network.
func (x *Observer) charge(number, out uint32, what int, time int64) {
	p := x.vcs.Head(number)
	if p.Flits&core.LastPacket != 0 {
		x.messages.Division(p.Msg).Charge(partOf(x.outputs.Ports.At(out).Router < 0, what), time)
	}
}

// partOf returns the part of a latency to which a wait belongs, for an output that leads to a NIC or
// not.
func partOf(toNIC bool, what int) causes.Part {
	switch {
	case what == forCrossbar:
		return causes.Crossbar
	case toNIC:
		return causes.Ejection
	case what == forCredit:
		return causes.Credit
	}
	return causes.Output
}

// chargeStart charges the waits of a message's last packet that starts through the crossbar now, on the
// general path. The rest of its time in the router it has waited behind others.
func (x *Observer) chargeStart(d *core.Division, toNIC bool, wait *tally) {
	g := x.general
	d.Charge(causes.Pipeline, g.Alloc.GrantTime)
	for what, time := range wait {
		d.Charge(partOf(toNIC, what), time)
	}
	d.Reach(causes.Order, x.events.Now)
	if g.Buffered {
		d.Charge(causes.Pipeline, int64(x.spec.Router.SwitchTraversal)+int64(x.spec.Router.Latency))
	}
}
