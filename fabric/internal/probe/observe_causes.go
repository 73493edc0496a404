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
		x.messages.Division(p.Msg).Charge(x.partOf(out, what), time)
	}
}

// partOf returns the part of a latency to which a wait for an output belongs.
func (x *Observer) partOf(out uint32, what int) causes.Part {
	switch {
	case what == forCrossbar:
		return causes.Crossbar
	case x.outputs.Ports.At(out).Router < 0: // to a NIC
		return causes.Ejection
	case what == forCredit:
		return causes.Credit
	}
	return causes.Output
}
