package fabric

import "slices"

// outputPorts holds when the ports of a block's routers are free, and what they have sent, on the
// fast path.
type outputPorts struct {
	events  *eventWheel
	lanes   *vcLanes
	vcs     uint32
	flit    int64 // bytes
	classes array[linkLayout]
	clocks  array[clock]    // by port
	more    array[portMore] // by port
	// round robin at all outputs, else FCFS
	roundRobins bool
	asks        []int64 // ps: scratch memory of arbitrate
}

// count returns what a port of the layout has sent.
func (o *outputPorts) count(port uint32) linkCount {
	more := o.more.at(port)
	total := linkCount{more.flits, more.packets}
	for v := range o.vcs {
		sent := o.lanes.at(port*o.vcs + v).sent
		total.add(linkCount{sent & (1<<sentPackets - 1), sent >> sentPackets})
	}
	return total
}

// leave returns the time (ps) at which a packet's tail leaves by an output, for networks whose links
// differ. The tail does not leave before it has arrived. The output's clock keeps the fraction of a
// ps that the division leaves over, and adds it to the next packet's time.
func (o *outputPorts) leave(out *lane, flits, tailReady int64) int64 {
	more := o.more.at(out.clock)
	if o.clocks.at(out.clock).out != o.events.now {
		more.fraction = 0
	}
	var took int64
	took, more.fraction = o.classes.at(uint32(out.class)).serialize.duration(
		flits*o.flit, more.fraction,
	)
	return max(o.events.now+took, tailReady)
}

// carry moves a lane's count of what it has sent to its port.
func (o *outputPorts) carry(out *lane) {
	more := o.more.at(out.clock)
	more.flits += out.sent & (1<<sentPackets - 1)
	more.packets += out.sent >> sentPackets
	out.sent = 0
}

// departed updates ports and counts after a train, up to before its last packet's tail left.
func (o *outputPorts) departed(in, out *lane, head uint32, sent uint64, left int64) {
	if head == in.head {
		return
	}
	o.clocks.at(out.clock).out = left
	o.clocks.at(in.clock).in = left
	if out.sent = sent; sent>>63 != 0 {
		o.carry(out)
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
		out := o.lanes.at(r.lanes+uint32(o.lanes.head(r.base+timer).out)).clock - r.ports
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
