package inputqueued

import (
	"fabricast/fabric/internal/core"
)

// A stream is a number of full packets of one message that follow one another at a constant
// interval, and of which nothing but two times and two counts is stored. It saves the simulation of
// each packet at each router. A stream record describes up to two of them for a FIFO: those packets
// that the sender upstream has announced (arrivals), and those that leave the FIFO (departures).
// Packets that a NIC injects are departures of a record without arrivals.
//
// The packets announced may lie far in the future, and may never come: whatever happens at the
// sender ends its departures, and shortens the arrivals downstream. This is known there in time,
// because a packet that does not start at time x is missed at the next router at x + hop at the
// earliest, which is in a later window. The same holds for the credit that departures imply
// upstream. So at each router, everything that a record implies for the current window is final.
//
// Departures start like the packets of a train: each at the time of its request. Nobody else may
// use their input port and their output port. As soon as somebody else makes a request, the
// departures end, and the next packet makes a request of its own.
type stream struct {
	number uint32 // ID of the FIFO; for a NIC, of its output VC
	router uint32
	nic    uint32 // 1 plus the ID of the NIC; 0 for a FIFO
	id     uint32 // index in the table

	// Arrivals: the packets that come after those in the FIFO, except for packets that came during
	// departures.
	packet core.Packet // what all have in common; Time: when the first not queued is eligible for its output (ps)
	step   int64       // interval (ps), without a fraction
	span   uint32      // from when a head is eligible until its tail has arrived (ps), if rates differ
	told   uint32      // number announced, including those queued
	queued uint32      // number of the first ones that are in the buffer already, see stream_queue.go
	taken  uint32      // number that have left, or have become packets of the FIFO
	left   int64       // when the tail before the packet taken last, or before the departures, left (ps)

	// Departures: from arrival number `taken` on.
	active    bool
	apart     bool   // the NIC has considered the first `steady` of them
	ghost     bool   // the FIFO is in another block; see stream_border.go
	uneven    bool   // it is part of an unevenStream
	out       uint32 // ID of the output VC
	start     int64  // when the first one starts (ps)
	pace      int64  // interval (ps), without a fraction
	full      uint32 // from the start of each until its tail has left (ps)
	count     uint32 // number that will start, unless something happens
	announced uint32 // number announced downstream
	settled   uint32 // number counted at ports, in counters and as used credit
	credited  uint32 // number of those whose credit the sender upstream has taken
	returned  uint32 // number of those whose credit a NIC downstream has returned
	steady    uint32 // for a NIC: the number after which it considers each of the rest by itself
	pause     uint16 // packets to pass one by one before the next attempt to form departures
	backOff   uint16 // value of pause after the next short departures; a record fills two cache lines
}

// streams is a block's table of stream records. Addresses do not change while a record is used.
type streams struct {
	pages []*[streamPage]stream
	// the records, if rates differ; there are no others then
	unevenPages []*[streamPage]unevenStream
	uneven      bool

	used uint32   // number of indices assigned so far; 0 is not used
	free []uint32 // indices that have been released
	live int      // number of records in use

	settledTo int64 // the time (ps) for which SettleNow has been called last

	// Where streams are short, because others interrupt them, NICs form none for a while.
	gain  int32  // packets that streams have saved, less what they cost
	rest  uint32 // number of packets for which NICs form no streams
	rests uint32 // value of rest the next time that streams have cost more than they saved

	On    bool   // packets may form streams
	least uint32 // least number of packets of a stream

	passed []uint32 // FIFOs of which other blocks are told that they have no record any more
	late   Late
}

const streamPage = 1 << 8

// Late is by how much later (ps) than right the effects of streams come, by their kind: 0, except in
// tests, which show so that none comes later than necessary.
type Late struct {
	Ready    int64 // packets at the next router
	Entry    int64 // packets at the router of the NIC that sends them
	Credit   int64 // the space of packets that leave a FIFO
	Returned int64 // the space of packets at a NIC
	Received int64 // packets at a NIC
	Fewer    int64 // that fewer packets come to a FIFO of the same block
	Less     int64 // that less space than expected becomes free in a FIFO of the same block
}

// leastPackets is the number of packets from which on a stream takes less time than its packets.
const leastPackets = 12

// Limits of streams.gain, and of streams.rests.
const (
	leastGain, mostGain    = -1 << 8, 1 << 12
	shortRest, longestRest = 1 << 12, 1 << 20
)

// ended counts a stream that has ended after n packets.
func (t *streams) ended(n uint32) {
	if t.least == 1 { // in tests
		return
	}
	t.gain += int32(min(n, mostGain)) - 2*leastPackets
	switch {
	case t.gain >= mostGain:
		t.gain, t.rests = mostGain, shortRest
	case t.gain <= leastGain:
		t.gain, t.rest, t.rests = 0, t.rests, min(2*t.rests, longestRest)
	}
}

// resting reports whether NICs form no streams now. It is called for each packet that could form one.
func (t *streams) resting() bool {
	if t.rest == 0 {
		return false
	}
	t.rest--
	return true
}

func (t *streams) at(id uint32) *stream {
	if t.uneven {
		return &t.unevenPages[id/streamPage][id%streamPage].stream
	}
	return &t.pages[id/streamPage][id%streamPage]
}

// reserve makes memory for the records that are used.
func (t *streams) reserve() {
	for t.uneven && int(t.used/streamPage) >= len(t.unevenPages) {
		t.unevenPages = append(t.unevenPages, new([streamPage]unevenStream))
	}
	for !t.uneven && int(t.used/streamPage) >= len(t.pages) {
		t.pages = append(t.pages, new([streamPage]stream))
	}
}

// add returns a zeroed record.
func (t *streams) add() *stream {
	t.live++
	id := t.used + 1
	if n := len(t.free); n > 0 {
		id = t.free[n-1]
		t.free = t.free[:n-1]
	} else {
		t.used++
		t.reserve()
	}
	s := t.at(id)
	*s = stream{id: id, uneven: t.uneven}
	if s.uneven {
		s.unevenPart().fractions = fractions{}
	}
	return s
}

// remove releases a record.
func (t *streams) remove(s *stream) {
	t.live--
	t.free = append(t.free, s.id)
	*s = stream{router: core.NoRouter, uneven: t.uneven}
}

// streaming has the methods by which routers simulate streams.
type streaming struct{ *block }

// block is another name of Routers, which have a field of that name.
type block = Routers

// streamAt returns the record of a FIFO with the flag Streamed.
func (v *VCs) streamAt(number uint32) *stream { return v.streams.at(*v.fifoStreams.At(number)) }

// record creates the record of a FIFO.
func (b streaming) record(router, number uint32) *stream {
	s := b.streams.add()
	s.number, s.router = number, router
	*b.VCs.fifoStreams.At(number) = s.id
	b.VCs.At(number).Flags |= core.Streamed
	return s
}

// forget removes the record of a FIFO.
func (b streaming) forget(s *stream) {
	if in := b.VCs.At(s.number); inOtherBlock(in) && !s.ghost {
		border{b}.passed(s.number)
	}
	*b.VCs.fifoStreams.At(s.number) = 0
	b.VCs.At(s.number).Flags &^= core.Streamed
	b.streams.remove(s)
}

// upstream returns the output VC from which a FIFO gets its packets: of a router of this block, or
// of a NIC.
func (b streaming) upstream(number uint32) uint32 {
	port := b.Ports.Ports.At(number / b.NumVCs)
	if port.Router < 0 {
		return b.FirstNICVC + uint32(^port.Router)*b.NumVCs + number%b.NumVCs
	}
	return port.Down + number%b.NumVCs
}

// departuresTo returns the departures through an output VC, or nil.
func (b streaming) departuresTo(out uint32) *stream {
	id := b.portStreams.At(out / b.NumVCs).Out
	if id == 0 {
		return nil
	}
	if s := b.streams.at(id); s.out == out {
		return s
	}
	return nil
}

// floor returns the earliest time (ps) to which a timer of a router may be set now.
func (b streaming) floor(router uint32) int64 {
	if router == b.Events.Visiting {
		return b.Events.Now
	}
	if b.Events.Visiting == core.NoRouter {
		return b.Events.Now + 1
	}
	return b.Events.Calendar.End
}

// knownAbove returns the latest time (ps) up to which the sender upstream of a FIFO of the active router
// may take credit: a NIC of the router has come as far as the router, but another router has not.
func (b streaming) knownAbove(in *core.VC) int64 {
	if in.Flags&core.ToHost != 0 {
		return b.known(b.Events.Visiting)
	}
	return b.known(core.NoRouter - 1)
}

// known returns the latest time (ps) of which everything at a router is known: credit up to then,
// and starts before then.
func (b streaming) known(router uint32) int64 {
	if router == b.Events.Visiting {
		return b.Events.Now
	}
	if b.Events.Visiting == core.NoRouter {
		return b.Events.Now + 1
	}
	return b.Events.Calendar.Start
}

// SetStreams allows packets to form streams, where the network lets them, or not.
func (b *Routers) SetStreams(on bool) { b.streams.On = on && b.streamable && (b.Plain || !b.reported) }

// DelayStreams makes all following effects of streams come too late.
func (b *Routers) DelayStreams(late Late) { b.streams.late = late }

// ShortStreams allows streams of any number of packets, which tests want.
func (b *Routers) ShortStreams() { b.streams.least = 1 }
