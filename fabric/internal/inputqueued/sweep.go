package inputqueued

import (
	"fabricast/fabric/internal/core"
)

// A FIFO that becomes empty keeps its ring while the credit of several of its packets is in flight,
// as after every message of many packets. Many of these FIFOs get no further packet for a long
// time. Therefore, before the pool of packets grows, a part of the block is searched for such
// rings. The pool then grows only as fast as rings are found to be in use.

// sweptVCs is the approximate number of VCs examined each time that the pool grows by a ring.
const sweptVCs = 16

// makeFree sweeps one of the routers if no smallest ring is free. It is called while a router is
// active, since between windows a block may not yet know when the next window starts.
func (v *VCs) makeFree() {
	if v.Pool.free[smallestClass] != 0 || v.SweepEvery == 0 {
		return
	}
	if v.Pool.swept++; v.Pool.swept%v.SweepEvery == 0 {
		v.sweep(&v.Routers[v.events.First+v.Pool.swept/v.SweepEvery%v.count])
	}
}

// sweep takes back the rings of a router's empty FIFOs if all of their credit is known upstream.
// This is never true of a FIFO without space for another packet.
func (v *VCs) sweep(r *core.Router) {
	for i := range uint32(r.NumVCs) {
		in := v.At(r.FirstVC + i)
		if in.Mask != 0 && in.Head == in.Tail && v.allKnown(in) {
			v.takeBack(in)
			in.Flags |= core.Drained
		}
	}
	for i := range uint32(r.NumNICs) * v.NumVCs {
		v.sweepNIC(v.FirstNICVC + r.FirstNIC*v.NumVCs + i)
	}
}

// allKnown reports whether all credit of an empty FIFO was known upstream before the window
// started. This is false if the last packet is just leaving.
func (v *VCs) allKnown(in *core.VC) bool {
	return in.Timer+v.classes.At(uint32(in.Class)).Credit < v.events.Calendar.Start
}

// sweepNIC takes back the ring of a NIC's receive buffer if its credit was known before the window
// started. The output that leads to the NIC gets all of that credit.
func (v *VCs) sweepNIC(number uint32) {
	in := v.At(number)
	if in.Mask == 0 || in.Pull != in.Head && v.Nth(in, in.Head-1).Time >= v.events.Calendar.Start {
		return
	}
	out := v.At(v.Below(number))
	for i := in.Pull; i != in.Head; i++ {
		out.Credit += int32(v.Nth(in, i).Flits & core.FlitMask)
	}
	v.takeBack(in)
}

// takeBack takes the ring of an empty FIFO, which must not contain any credit.
func (v *VCs) takeBack(in *core.VC) {
	v.Pool.Drop(in)
	in.Base, in.Mask, in.Pull, in.Head, in.Tail = 0, 0, 0, 0, 0
}

// sweeps sets the sweeping parameters for the block's current routers.
func (v *VCs) sweeps(count uint32) {
	first, last := &v.Routers[v.events.First], &v.Routers[v.events.First+count-1]
	vcs := last.FirstVC + uint32(last.NumVCs) - first.FirstVC
	v.count, v.SweepEvery = count, max(1, vcs/count/sweptVCs)
}
