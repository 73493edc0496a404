package fabric

import (
	"slices"
	"unsafe"
)

// outputPorts holds when the ports of a block's routers are free, and what they have sent, on the
// fast path.
type outputPorts struct {
	events  *eventWheel
	lanes   *vcLanes
	vcs     uint32
	flit    int64 // bytes
	classes array[linkLayout]
	ports   array[portState] // by port
	more    array[portMore]  // by port
	share   uint64           // 2^32 / vcs, rounded up
	// round robin at all outputs, else FCFS
	roundRobins bool
	asks        []int64 // ps: scratch memory of arbitrate
}

// count returns what a port of the layout has sent.
func (o *outputPorts) count(port uint32) linkCount {
	more := o.more.at(port)
	total := linkCount{more.flits, more.packets}
	sent := o.ports.at(port).sent
	total.add(linkCount{sent & (1<<sentPackets - 1), sent >> sentPackets})
	return total
}

// ofSlot returns the port of a slot of a router.
func (o *outputPorts) ofSlot(r *routerState, slot uint32) *portState {
	return o.ports.at(r.ports + o.portOf(slot))
}

// portOf returns which of its router's ports a slot belongs to.
func (o *outputPorts) portOf(slot uint32) uint32 { return uint32(uint64(slot) * o.share >> 32) }

// leave returns the time (ps) at which a packet's tail leaves by an output, for networks whose links
// differ. The tail does not leave before it has arrived. The output's clock keeps the fraction of a
// ps that the division leaves over, and adds it to the next packet's time.
func (o *outputPorts) leave(out uint32, class uint8, flits, tailReady int64) int64 {
	more := o.more.at(out)
	if o.ports.at(out).out != o.events.now {
		more.fraction = 0
	}
	var took int64
	took, more.fraction = o.classes.at(uint32(class)).serialize.duration(
		flits*o.flit, more.fraction,
	)
	return max(o.events.now+took, tailReady)
}

// downstream returns the number of the lane to which the first packet of a lane goes by a port, or of
// the lane that stands for it in this block.
func (o *outputPorts) downstream(in *lane, port *portState) uint32 {
	slot := uint32(in.next)
	return port.down + slot - o.portOf(slot)*o.vcs
}

// carry moves a port's count of what it has sent to its seldom-used state.
func (o *outputPorts) carry(port *portState) {
	more := o.more.at(o.number(port))
	more.flits += port.sent & (1<<sentPackets - 1)
	more.packets += port.sent >> sentPackets
	port.sent = 0
}

// number returns the number of a port.
func (o *outputPorts) number(port *portState) uint32 {
	return uint32((address(port) - uintptr(o.ports.first)) / unsafe.Sizeof(*port))
}

// departed updates ports and counts after a train, up to before its last packet's tail left.
func (o *outputPorts) departed(
	in *lane, own, port *portState, head uint16, sent uint64, left int64,
) {
	if head == in.head {
		return
	}
	port.out = left
	own.in = left
	if port.sent = sent; sent>>63 != 0 {
		o.carry(port)
	}
}

// arbitrate sorts the timers of lanes whose packets ask at one instant, given in increasing order,
// into the order of service.
func (o *outputPorts) arbitrate(r *routerState, timers []uint32) {
	if o.roundRobins {
		o.roundRobin(r, timers)
		return
	}
	asks := o.asks[:0]
	for _, timer := range timers { // the processor waits for several of these packets at once
		asks = append(asks, o.lanes.head(r.base+timer).time)
	}
	for i := 1; i < len(timers); i++ {
		timer, ask := timers[i], asks[i]
		j := i
		for ; j > 0 && asks[j-1] > ask; j-- {
			timers[j], asks[j] = timers[j-1], asks[j-1]
		}
		timers[j], asks[j] = timer, ask
	}
	o.asks = asks
}

// roundRobin sorts the timers of lanes by their cyclic distance from the lane after the one granted
// last at their output, then by output.
func (o *outputPorts) roundRobin(r *routerState, timers []uint32) {
	all := int64(r.slots)
	order := func(timer uint32) int64 {
		out := o.portOf(uint32(o.lanes.head(r.base + timer).out))
		distance := (int64(timer) - int64(r.first) - int64(o.more.at(r.ports+out).last) + all) % all
		return distance<<16 | int64(out)
	}
	slices.SortStableFunc(timers, func(x, y uint32) int {
		if d := order(x) - order(y); d != 0 {
			return int(min(max(d, -1), 1))
		}
		return 0
	})
}
