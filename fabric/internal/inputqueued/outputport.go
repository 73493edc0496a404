package inputqueued

import (
	"slices"
	"unsafe"

	"fabricast/fabric/internal/core"
)

// OutputPorts holds the times at which the ports of a block's routers are free, and their transmit
// counters, on the fast path.
type OutputPorts struct {
	events  *core.EventWheel
	vcs     *VCs
	numVCs  uint32
	flit    int64 // size of a flit in bytes
	classes core.Array[core.LinkLayout]
	Ports   core.Array[core.Port]     // by port, followed by the NICs
	more    core.Array[core.PortMore] // by port, like Ports
	share   uint64                    // 2^32 / numVCs, rounded up
	// round robin at all outputs, otherwise FCFS
	roundRobins bool
	asks        []int64 // times of requests (ps); scratch memory of arbitrate
}

// count returns the transmit counters of a port. port is its ID in the layout.
func (o *OutputPorts) count(port uint32) core.LinkCount {
	more := o.more.At(port)
	total := core.LinkCount{Flits: more.Flits, Packets: more.Packets}
	sent := o.Ports.At(port).Sent
	total.Add(core.LinkCount{Flits: sent & (1<<core.SentPackets - 1), Packets: sent >> core.SentPackets})
	return total
}

// OfVC returns the port of a router's VC.
func (o *OutputPorts) OfVC(r *core.Router, index uint32) *core.Port {
	return o.Ports.At(r.FirstPort + o.PortOf(index))
}

// PortOf returns the local port of a VC, given by its VC index.
func (o *OutputPorts) PortOf(index uint32) uint32 { return uint32(uint64(index) * o.share >> 32) }

// leave returns the time (ps) at which a packet's tail leaves through an output, for networks whose
// links differ. The tail does not leave before it has arrived. The fraction of a ps left by the
// division is stored at the output and added to the next packet's time.
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

// downstream returns the VC that the first packet of a VC goes to through a port, or the VC that
// represents it in this block.
func (o *OutputPorts) downstream(in *core.VC, port *core.Port) uint32 {
	index := uint32(in.Next)
	return port.Down + index - o.PortOf(index)*o.numVCs
}

// carry moves a port's transmit counters to its rarely used state.
func (o *OutputPorts) carry(port *core.Port) {
	more := o.more.At(o.number(port))
	more.Flits += port.Sent & (1<<core.SentPackets - 1)
	more.Packets += port.Sent >> core.SentPackets
	port.Sent = 0
}

// number returns the ID of a port.
func (o *OutputPorts) number(port *core.Port) uint32 {
	return uint32((address(port) - uintptr(o.Ports.First)) / unsafe.Sizeof(*port))
}

// departed updates the ports and counters after a train, up to but excluding its last packet.
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

// arbitrate sorts the timers of VCs whose packets make simultaneous requests into the order of
// service. They must be given in ascending order.
func (o *OutputPorts) arbitrate(r *core.Router, timers []uint32) {
	if o.roundRobins {
		o.roundRobin(r, timers)
		return
	}
	asks := o.asks[:0]
	for _, timer := range timers { // this loop overlaps the cache misses of several packets
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
// last at their output, and then by output.
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
