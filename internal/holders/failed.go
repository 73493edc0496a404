package holders

import (
	"math"

	"fabricast/fabric"
	"fabricast/fabric/model"
)

// failure returns the holder of what a message between two NICs waits for because a link is or was down: no message
// has the number 0, and no rank the number -1.
func failure(source, destination, link int32) Holder {
	return Holder{0, source, destination, -1, link}
}

// outage is a period in which the link from a NIC is down.
type outage struct{ from, to int64 } // ps

// fail processes that a link has gone down, or is up again.
func (p *Packets) fail(h *fabric.Hop) {
	if h.OutPort >= 0 {
		return // what it loses tells of it
	}
	list := p.outages[h.Port]
	if h.Reason == model.LinkDown {
		list = append(list, outage{h.Start, math.MaxInt64})
	} else if n := len(list); n > 0 {
		list[n-1].to = h.Start
	}
	p.outages[h.Port] = list
}

// outageFrom returns the outage that lasts at a time (ps), or the next; nil if there is none.
func outageFrom(list []outage, t int64) *outage {
	for i := range list {
		if list[i].to > t {
			return &list[i]
		}
	}
	return nil
}
