package inputqueued

import (
	"slices"
	"unsafe"

	"fabricast/fabric/internal/core"
)

// OutputPorts holds when the ports of a block's routers are free, and what they have sent, on the
// fast path.
type OutputPorts struct {
	events  *core.EventWheel
	vcs     *VCs
	numVCs  uint32
	flit    int64 // bytes
	classes core.Array[core.LinkLayout]
	Ports   core.Array[core.Port]     // by port
	more    core.Array[core.PortMore] // by port
	share   uint64                    // 2^32 / vcs, rounded up
	// round robin at all outputs, else FCFS
	roundRobins bool
	asks        []int64 // ps: scratch memory of arbitrate
}

// count returns what a port of the layout has sent.
func (o *OutputPorts) count(port uint32) core.LinkCount {
	more := o.more.At(port)
	total := core.LinkCount{Flits: more.Flits, Packets: more.Packets}
	sent := o.Ports.At(port).Sent
	total.Add(core.LinkCount{Flits: sent & (1<<core.SentPackets - 1), Packets: sent >> core.SentPackets})
	return total
}

// OfVC returns the port of a VC of a router.
func (o *OutputPorts) OfVC(r *core.Router, index uint32) *core.Port {
	return o.Ports.At(r.FirstPort + o.PortOf(index))
}

// PortOf returns which of its router's ports a VC belongs to.
func (o *OutputPorts) PortOf(index uint32) uint32 { return uint32(uint64(index) * o.share >> 32) }

// leave returns the time (ps) at which a packet's tail leaves by an output, for networks whose links
// differ. The tail does not leave before it has arrived. The output's clock keeps the fraction of a
// ps that the division leaves over, and adds it to the next packet's time.
func (o *OutputPorts) leave(out uint32, class uint8, flits, tailReady int64) int64 {
	more := o.more.At(out)
	if o.Ports.At(out).Out != o.events.Now {
		more.Fraction = 0
	}
	var took int64
	took, more.Fraction = o.classes.At(uint32(class)).Serialize.Duration(
		flits*o.flit, more.Fraction,
	)
	return max(o.events.Now+took, tailReady)
}

// downstream returns the number of the VC to which the first packet of a VC goes by a port, or of
// the VC that stands for it in this block.
func (o *OutputPorts) downstream(in *core.VC, port *core.Port) uint32 {
	index := uint32(in.Next)
	return port.Down + index - o.PortOf(index)*o.numVCs
}

// carry moves a port's count of what it has sent to its seldom-used state.
func (o *OutputPorts) carry(port *core.Port) {
	more := o.more.At(o.number(port))
	more.Flits += port.Sent & (1<<core.SentPackets - 1)
	more.Packets += port.Sent >> core.SentPackets
	port.Sent = 0
}

// number returns the number of a port.
func (o *OutputPorts) number(port *core.Port) uint32 {
	return uint32((address(port) - uintptr(o.Ports.First)) / unsafe.Sizeof(*port))
}

// departed updates ports and counts after a train, up to before its last packet's tail left.
func (o *OutputPorts) departed(
	in *core.VC, own, port *core.Port, head uint16, sent uint64, left int64,
) {
	if head == in.Head {
		return
	}
	port.Out = left
	own.In = left
	if port.Sent = sent; sent>>63 != 0 {
		o.carry(port)
	}
}

// arbitrate sorts the timers of VCs whose packets ask at one instant, given in increasing order,
// into the order of service.
func (o *OutputPorts) arbitrate(r *core.Router, timers []uint32) {
	if o.roundRobins {
		o.roundRobin(r, timers)
		return
	}
	asks := o.asks[:0]
	for _, timer := range timers { // the processor waits for several of these packets at once
		asks = append(asks, o.vcs.Head(r.Base+timer).Time)
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

// roundRobin sorts the timers of VCs by their cyclic distance from the VC after the one granted
// last at their output, then by output.
func (o *OutputPorts) roundRobin(r *core.Router, timers []uint32) {
	all := int64(r.NumVCs)
	order := func(timer uint32) int64 {
		out := o.PortOf(uint32(o.vcs.Head(r.Base + timer).Out))
		distance := (int64(timer) - int64(r.First) - int64(o.more.At(r.FirstPort+out).Last) + all) % all
		return distance<<16 | int64(out)
	}
	slices.SortStableFunc(timers, func(x, y uint32) int {
		if d := order(x) - order(y); d != 0 {
			return int(min(max(d, -1), 1))
		}
		return 0
	})
}
