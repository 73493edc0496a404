package inputqueued

import (
	"math/bits"
	"unsafe"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"

	"fabricast/internal/offheap"
	"fabricast/internal/prefetch"
)

// PacketPool holds the packets of a block's FIFOs. Each FIFO with packets has a ring of entries,
// which is doubled when it is full. Most FIFOs release their ring when they become empty. The next
// FIFO that needs a ring takes the one released last, which is in the cache. Memory is thus
// proportional to the number of packets in flight, not to the number of FIFOs. A place is the index
// of an entry in the array shared by all blocks, so that a FIFO can move to another block; 0 is not
// used. A block only allocates places in its own range.
type PacketPool struct {
	Packets core.Array[core.Packet]
	// by place: how long after the packet's head, or its request if that is later, its tail arrives
	// (ps); used only if Layout.Uneven
	spans core.Array[uint32]
	Own   core.Span // places that this block allocates
	Used  uint32    // lowest place that has never been allocated
	swept uint32    // number of times that it was about to grow, see VCs.makeFree
	// by log2 of the ring size: the first place of the first free ring, which links to the next
	// free ring
	free [32]uint32
}

const (
	smallestClass = 2 // log2 of the smallest ring
	SmallestRing  = 1 << smallestClass
	// maxPlaces limits the packets of a block by address space (50 GB). Those of all blocks are
	// numbered with 32 bits. Memory is used only for packets that exist.
	maxPlaces = 1 << 31
)

// VCs holds the virtual channels of a block's routers on the fast path, with the packets in
// their FIFOs.
type VCs struct {
	*core.Layout
	events  *core.EventWheel
	all     core.Array[core.VC]
	More    core.Array[core.VCWait] // by VC: data for packets that wait for credit
	ports   core.Array[core.Port]   // by port, followed by the NICs
	Pool    PacketPool
	classes core.Array[core.LinkLayout]

	streams     *streams
	fifoStreams core.Array[uint32] // see core.State

	// number of routers of the block, and by how many rings the pool grows between sweeps; 0: no
	// sweeps
	count, SweepEvery uint32
}

// At returns a VC by its ID.
func (v *VCs) At(number uint32) *core.VC { return v.all.At(number) }

// NewPacketPool allocates memory for the packets of the given number of FIFOs in each of the given
// number of blocks.
func NewPacketPool(
	arena *offheap.Arena, l *core.Layout, fifos, blocks int,
) (p PacketPool, each uint32, err error) {
	largest := int64(max(SmallestRing, 2*l.Capacity))
	each = core.ShareOf(min(int64(fifos)*2*largest+SmallestRing, maxPlaces), blocks)
	if l.Uneven {
		if err := p.spans.Reserve(arena, int(each)*blocks); err != nil {
			return p, each, err
		}
	}
	return p, each, p.Packets.Reserve(arena, int(each)*blocks)
}

// Of returns the pool of the given block, which has `each` places of its own.
func (p PacketPool) Of(block int, each uint32) PacketPool {
	p.Own = core.SpanOf(block, each)
	p.Used = p.Own.First + SmallestRing
	return p
}

// restart prepares a VC's empty FIFO for a packet of the given size that its upstream side sends
// now. It moves the FIFO back to the first place of its ring, if it is known upstream by now that
// all of its space is free. The packets of a VC that is rarely full then stay in one cache line.
func (v *VCs) restart(up, in *core.VC, now int64, flits int32) {
	if in.Flags&core.Drained != 0 {
		v.reopen(up, in, now, flits)
	} else if in.Timer+v.classes.At(uint32(in.Class)).Credit <= now {
		up.Credit = v.Capacity - flits
		in.Pull, in.Head, in.Tail = 0, 0, 0
	}
}

// numberOf returns the ID of a VC.
func (v *VCs) numberOf(l *core.VC) uint32 {
	return uint32((address(l) - uintptr(v.all.First)) / unsafe.Sizeof(*l))
}

// Below returns the VC that an output VC pulls credit from.
func (v *VCs) Below(number uint32) uint32 {
	return v.ports.At(number/v.NumVCs).Down + number%v.NumVCs
}

// reopen is like restart for a FIFO that has no ring.
func (v *VCs) reopen(up, in *core.VC, now int64, flits int32) {
	gone, at := in.Base, in.Timer+v.classes.At(uint32(in.Class)).Credit
	v.makeFree()
	v.takeRing(in)
	up.Credit = v.Capacity - flits
	if gone != 0 && at > now {
		up.Credit -= int32(gone)
		*v.Pool.Packets.At(in.Base) = core.Packet{Time: at, Flits: uint16(gone)}
		in.Head, in.Tail = 1, 1
	}
}

// takeRing gives the smallest ring to a FIFO without one.
func (v *VCs) takeRing(in *core.VC) {
	in.Flags &^= core.Drained
	in.Base, in.Mask = v.Pool.ring(SmallestRing), SmallestRing-1
}

// drain releases the ring of a FIFO that has become empty, if at most the credit of its last packet
// is not known upstream yet. Credit that is known upstream at the start of the window is available
// to the upstream router at any time in it.
func (v *VCs) drain(in *core.VC) {
	gone := uint32(0)
	if in.Pull != in.Head {
		last := in.Head - 1
		if last != in.Pull && v.Nth(in, last-1).Time > v.events.Calendar.Start {
			return
		}
		gone = uint32(v.Nth(in, last).Flits & core.FlitMask)
	}
	v.Pool.Drop(in)
	in.Flags |= core.Drained
	in.Base, in.Mask, in.Pull, in.Head, in.Tail = gone, 0, 0, 0, 0
}

// handOver gives the ring of a FIFO to the drained FIFO `down` behind its output `out`, together with its only packet,
// which leaves now and stays in its place. It is like reopen for `down`, and like drain for `in`.
func (v *VCs) handOver(in, out, down *core.VC, now int64, flits int32) {
	gone, at := down.Base, down.Timer+v.classes.At(uint32(down.Class)).Credit
	head := in.Head&(SmallestRing-1) + SmallestRing
	down.Base, down.Mask, down.Pull, down.Head, down.Tail = in.Base, SmallestRing-1, head, head, head+1
	down.Flags &^= core.Drained
	out.Credit = v.Capacity - flits
	if gone != 0 && at > now {
		out.Credit -= int32(gone)
		down.Pull--
		*v.Nth(down, down.Pull) = core.Packet{Time: at, Flits: uint16(gone)}
	}
	in.Flags |= core.Drained
	in.Base, in.Mask, in.Pull, in.Head, in.Tail = uint32(flits), 0, 0, 0, 0
}

// onTheWay returns the number of flits of a drained FIFO's credit that are not known upstream yet.
func (v *VCs) onTheWay(in *core.VC) int32 {
	if in.Timer+v.classes.At(uint32(in.Class)).Credit <= v.events.Now {
		return 0
	}
	return int32(in.Base)
}

// add returns the next place at the end of a VC's FIFO. up is its upstream side, or nil if that is
// in another block.
func (v *VCs) add(up, in *core.VC) uint32 {
	if in.Full() {
		v.makeRoom(up, in)
	}
	n := in.Base + uint32(in.Tail&in.Mask)
	in.Tail++
	return n
}

// pullAtOnce is the number of departed packets that are examined when a ring is full. They occupy
// one or two cache lines, which the next packets will use.
const pullAtOnce = 4

// makeRoom makes a free place in a full FIFO. It takes the credit of departed packets, to reuse
// their places. If there are none, it doubles the ring.
func (v *VCs) makeRoom(up, in *core.VC) {
	if in.Mask == 0 {
		v.takeRing(in)
		return
	}
	if up != nil {
		v.pull(up, in, pullAtOnce)
	}
	if in.Full() {
		v.Pool.grow(in)
	}
}

// grow doubles the ring of a FIFO.
func (p *PacketPool) grow(in *core.VC) {
	old, was := in.Base, in.Mask
	in.Mask = 2*was + 1
	in.Base = p.ring(in.Places())
	for i := in.Pull; i != in.Tail; i++ {
		from, to := old+uint32(i&was), in.Base+uint32(i&in.Mask)
		*p.Packets.At(to) = *p.Packets.At(from)
		if p.spans.First != nil {
			*p.spans.At(to) = *p.spans.At(from)
		}
	}
	p.give(old, uint32(was)+1)
}

// give releases a ring, given its first place.
func (p *PacketPool) give(base, size uint32) {
	p.Packets.At(base).Route = uint64(*p.freed(size))
	*p.freed(size) = base
}

// Drop releases the ring of a FIFO.
func (p *PacketPool) Drop(in *core.VC) {
	if in.Mask != 0 {
		p.give(in.Base, in.Places())
	}
}

// freed returns a pointer to the first free ring of a size; 0 means none.
func (p *PacketPool) freed(size uint32) *uint32 { return &p.free[bits.TrailingZeros32(size)] }

// ring returns the first of `size` consecutive free places; size is a power of two.
func (p *PacketPool) ring(size uint32) uint32 {
	if n := *p.freed(size); n != 0 {
		next := uint32(p.Packets.At(n).Route)
		*p.freed(size) = next
		prefetch.Line(unsafe.Pointer(p.Packets.At(next))) // prefetch the next free ring, in case several are taken in a row
		return n
	}
	n := p.Used
	if uint64(n)+uint64(size) > uint64(p.Own.End) {
		panic(model.ErrPackets)
	}
	p.Used += size
	return n
}

// Nth returns packet i of a VC's FIFO, in the order of arrival.
func (v *VCs) Nth(in *core.VC, i uint16) *core.Packet {
	return v.Pool.Packets.At(in.Base + uint32(i&in.Mask))
}

// pull takes the credit of up to `most` packets that have left the FIFO downstream (or its ghost in
// this block) and whose space is free by now.
func (v *VCs) pull(out, down *core.VC, most uint16) {
	pull, credit := down.Pull, out.Credit
	for last := pull + min(most, down.Head-pull); pull != last; {
		p := v.Nth(down, pull)
		if p.Time > v.events.Now {
			break
		}
		credit += int32(p.Flits & core.FlitMask)
		pull++
	}
	down.Pull, out.Credit = pull, credit
}

// credited reports whether an output VC has credit for the given number of flits. It takes only as
// much returned credit as necessary from the VC `down`.
func (v *VCs) credited(out, down *core.VC, flits int32) bool {
	credit := out.Credit
	if credit >= flits {
		return true
	}
	if down.Flags&core.Drained != 0 {
		out.Credit = v.Capacity - v.onTheWay(down)
		return out.Credit >= flits
	}
	if down.Flags&core.Streamed != 0 {
		v.takeCredit(out, down, v.numberOf(down), v.events.Now)
		return out.Credit >= flits
	}
	pull := down.Pull
	for pull != down.Head {
		p := v.Nth(down, pull)
		if p.Time > v.events.Now {
			break
		}
		pull++
		if credit += int32(p.Flits & core.FlitMask); credit >= flits {
			break
		}
	}
	down.Pull, out.Credit = pull, credit
	return credit >= flits
}

// LeaveBehind adds a packet that has already left to the FIFO `down` from which a VC pulls its
// credit, where no packets wait (a ghost, or a NIC's receive buffer). Its credit is known from the
// time `at` (ps) on.
func (v *VCs) LeaveBehind(out, down *core.VC, at int64, flits uint16) {
	*v.Pool.Packets.At(v.add(out, down)) = core.Packet{Time: at, Flits: flits}
	down.Head = down.Tail
}

// shorten reduces the time between head and tail of a FIFO's first packet by `late` ps, because the
// packet could not make its request immediately.
func (v *VCs) shorten(in *core.VC, late int64) {
	span := v.Pool.spans.At(in.Base + uint32(in.Head&in.Mask))
	*span -= uint32(min(int64(*span), late))
}

// setSpan sets the time between head and tail of packet i of a FIFO (ps), if rates differ.
func (v *VCs) setSpan(in *core.VC, i uint16, span uint32) {
	if v.Uneven {
		*v.Pool.spans.At(in.Base + uint32(i&in.Mask)) = span
	}
}

// Walk returns the total size in flits of a FIFO's packets, both those that have left and those in
// the buffer.
func (v *VCs) Walk(number uint32) (flits int64) {
	in := v.At(number)
	if in.Flags&core.Drained != 0 {
		return int64(in.Base)
	}
	for i := in.Pull; i != in.Tail; i++ {
		flits += int64(v.Nth(in, i).Flits & core.FlitMask)
	}
	return flits
}

// Head returns the first packet in the buffer of a VC.
func (v *VCs) Head(number uint32) *core.Packet {
	in := v.At(number)
	return v.Nth(in, in.Head)
}
