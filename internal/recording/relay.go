package recording

import (
	"slices"
	"unsafe"

	"fabricast/fabric"
	"fabricast/internal/cluster"
	"fabricast/internal/snapshot"
	"fabricast/internal/units"
	"fabricast/node"
	"fabricast/traffic"
)

// relay sends the reports of this process's blocks to the recorder of the first process, which
// writes all tables. It stores reports as their bytes in memory until messages between processes
// are exchanged.
type relay struct {
	first  int // index of this process's first block among the blocks of all processes
	blocks []relayed
	// by block of this process, see node.World.Waiting; nil unless messages are recorded
	waiting func(block int) int64
}

// relayed holds the reports of a block since they were last sent.
type relayed struct {
	data    []byte
	begin   int64 // ps: start of the block's current window
	windows int   // windows since reports were last sent
	_       [64]byte
}

// Reports are sent at once if a block has many, or has sent none for many windows: in the meantime,
// the first process must hold the rows of others.
const (
	relayBytes   = 256 << 10
	relayWindows = 4096
)

// Kinds of reports.
const (
	relayedBin uint8 = iota
	relayedPassage
	relayedMessage
	relayedSpan
	relayedStep
	relayedCarried
	relayedDivided
	relayedHop
)

// reportsHead precedes the reports of a block.
type reportsHead struct {
	begin int64 // ps: start of the block's current window
	block int64
	bytes int64
}

// binHead is a fabric.Bin without its rows.
type binHead struct{ begin, interval, next, links, buffers int64 }

func (r *relay) of(block int) *relayed { return &r.blocks[block-r.first] }

// bytesOf returns the bytes of a value in memory.
func bytesOf[T any](v *T) []byte { return cluster.Bytes(unsafe.Slice(v, 1)) }

// add appends a report.
func add[T any](b *relayed, kind uint8, v *T) {
	b.data = append(append(b.data, kind), bytesOf(v)...)
}

// Window implements fabric.Sink.
func (r *relay) Window(block int, begin int64) {
	b := r.of(block)
	b.begin = begin
	b.windows++
}

// Bin implements fabric.Sink.
func (r *relay) Bin(block int, bin *fabric.Bin) {
	b := r.of(block)
	add(b, relayedBin, &binHead{
		int64(bin.Begin), int64(bin.Interval), int64(bin.Next), int64(len(bin.Links)), int64(len(bin.Buffers)),
	})
	b.data = append(b.data, cluster.Bytes(bin.Links)...)
	b.data = append(b.data, cluster.Bytes(bin.Buffers)...)
}

// Passage implements fabric.Sink.
func (r *relay) Passage(block int, p *fabric.Passage) { add(r.of(block), relayedPassage, p) }

// Divided implements fabric.Sink.
func (r *relay) Divided(block int, d *fabric.Divided) { add(r.of(block), relayedDivided, d) }

// Hop implements fabric.Sink.
func (r *relay) Hop(block int, h *fabric.Hop) { add(r.of(block), relayedHop, h) }

// Message implements node.Tracer, whose blocks are numbered within the process.
func (r *relay) Message(block int, m *node.Sent) { add(&r.blocks[block], relayedMessage, m) }

// Span implements node.Tracer.
func (r *relay) Span(block int, s *node.Span) { add(&r.blocks[block], relayedSpan, s) }

// Step implements node.Tracer.
func (r *relay) Step(block int, s *node.Step) { add(&r.blocks[block], relayedStep, s) }

// carried implements reporter.
func (r *relay) carried(block int, m traffic.Carried) { add(&r.blocks[block], relayedCarried, &m) }

// wait implements reporter.
func (r *relay) wait(waiting func(block int) int64) { r.waiting = waiting }

// pending reports whether reports are urgent: a block has many, or has sent none for many windows.
func (r *relay) pending() bool {
	for i := range r.blocks {
		if b := &r.blocks[i]; len(b.data) > relayBytes || b.windows > relayWindows {
			return true
		}
	}
	return false
}

// pass accepts reports of this process's only block, which has reached a time (ps).
func (r *relay) pass(data []byte, begin int64) {
	b := &r.blocks[0]
	b.data = append(b.data, data...)
	b.begin = begin
	b.windows++
}

// reports returns the reports of all blocks since the last call, in the form that takeReports
// accepts in the first process.
func (r *relay) reports() (data []byte) {
	for i := range r.blocks {
		b := &r.blocks[i]
		if r.waiting != nil {
			b.begin = min(b.begin, r.waiting(i))
		}
		data = append(data, bytesOf(&reportsHead{b.begin, int64(r.first + i), int64(len(b.data))})...)
		data = append(data, b.data...)
		b.data, b.windows = b.data[:0], 0
	}
	return data
}

// takeReports accepts the reports from the blocks of another process.
func (r *Recorder) takeReports(_ int, _ struct{}, data []byte) {
	for len(data) > 0 {
		var of reportsHead
		data = take(&of, data)
		r.takeBlock(int(of.block), data[:of.bytes], of.begin)
		data = data[of.bytes:]
	}
}

// takeBlock accepts the reports of a block up to the time (ps) that it has reached.
func (r *Recorder) takeBlock(block int, data []byte, begin int64) {
	for len(data) > 0 {
		data = r.takeOne(block, data)
	}
	r.Window(block, begin)
}

// take reads a value from data, and returns the remaining data.
func take[T any](v *T, data []byte) []byte { return data[copy(bytesOf(v), data):] }

// takeRows reads n values.
func takeRows[T any](n int64, data []byte) ([]T, []byte) {
	rows := make([]T, n)
	return rows, data[copy(cluster.Bytes(rows), data):]
}

// hand reads a value, passes it to report, and returns the remaining data.
func hand[T any](data []byte, block int, report func(int, *T)) []byte {
	var v T
	data = take(&v, data)
	report(block, &v)
	return data
}

// takeOne accepts one report, and returns the remaining data.
func (r *Recorder) takeOne(block int, data []byte) []byte {
	kind, data := data[0], data[1:]
	switch kind {
	case relayedBin:
		var head binHead
		data = take(&head, data)
		bin := fabric.Bin{
			Begin:    units.Time(head.begin),
			Interval: units.Time(head.interval),
			Next:     units.Time(head.next),
		}
		bin.Links, data = takeRows[fabric.LinkBin](head.links, data)
		bin.Buffers, data = takeRows[fabric.BufferBin](head.buffers, data)
		r.Bin(block, &bin)
	case relayedPassage:
		return hand(data, block, r.Passage)
	case relayedDivided:
		return hand(data, block, r.Divided)
	case relayedHop:
		return hand(data, block, r.Hop)
	case relayedMessage:
		return hand(data, block, r.Message)
	case relayedSpan:
		return hand(data, block, r.Span)
	case relayedStep:
		return hand(data, block, r.Step)
	case relayedCarried:
		return hand(data, block, func(block int, m *traffic.Carried) { r.carried(block, *m) })
	}
	return data
}

// Bring ends the observation at the time (ps) that the first process gives, and sends the remaining
// reports of the others to the first. It is collective. r may be nil in all processes.
func (r *Recorder) Bring(g cluster.Group, c *cluster.Control, network Network, end int64) {
	switch {
	case r == nil:
		return
	case cluster.Several(g):
		end = cluster.GatherValues(g, end)[0]
	case r.held == nil:
		return
	}
	network.EndObservation(end)
	r.held.stands(fabric.Forever)
	c.Exchange()
	r.ended = true
}

// held holds the reports of one part of an optimistic run until the windows in which they were made
// are final. If the part is rolled back, so are its reports: the number of its reports is part of
// its state.
//
// Reports have consecutive positions. A part may be rolled back to a window from which reports have
// already been passed on. When it repeats the window, the same reports get the same positions, and
// are not passed on again.
type held struct {
	*relay         // stores the reports from a position on
	from    int64  // this position
	handed  int64  // reports before this position have been passed on
	windows []mark // windows started since then that have not been rolled back
	hand    func(data []byte, begin int64)
	arrived []arrival // of the messages that are held, by position
}

// arrival is the time (ps) of a message's delivery, and the position of its report.
type arrival struct{ at, place int64 }

// mark is the position of the first report of a window that starts at time begin.
type mark struct{ begin, place int64 }

// newHeld holds the reports of the block with the given index among all blocks. hand receives
// reports with a time (ps): no later report is about an earlier time.
func newHeld(block int, hand func(data []byte, begin int64)) *held {
	return &held{relay: &relay{first: block, blocks: make([]relayed, 1)}, hand: hand}
}

// place returns the position of the next report.
func (h *held) place() int64 { return h.from + int64(len(h.blocks[0].data)) }

// Window implements fabric.Sink.
func (h *held) Window(_ int, begin int64) {
	n := len(h.windows)
	for n > 0 && h.windows[n-1].begin >= begin {
		n--
	}
	h.windows = append(h.windows[:n], mark{begin, h.place()})
}

// Message implements node.Tracer.
func (h *held) Message(block int, m *node.Sent) {
	h.arrived = append(h.arrived, arrival{int64(m.Delivered), h.place()})
	h.relay.Message(block, m)
}

// earliest returns the earliest time (ps) of the reports that will be passed on after those before
// the given position and time. This includes messages that had been delivered by then but were
// received by their ranks later. The part may have proceeded since then, or may have been rolled
// back.
func (h *held) earliest(place, until int64) int64 {
	if h.waiting != nil {
		until = min(until, h.waiting(0))
	}
	for _, a := range h.arrived {
		if a.place >= place {
			until = min(until, a.at)
		}
	}
	return until
}

// State implements fabric.Stateful.
func (h *held) State(v *snapshot.Visitor) {
	place := h.place()
	snapshot.Value(v, &place)
	if v.Restores() {
		h.takeBack(place)
	}
}

// takeBack removes the reports from the given position on.
func (h *held) takeBack(place int64) {
	kept := &h.blocks[0]
	kept.data = kept.data[:max(0, place-h.from)]
	h.from = min(h.from, place)
	n := len(h.windows)
	for n > 0 && h.windows[n-1].place > place {
		n--
	}
	h.windows = h.windows[:n]
	for n = len(h.arrived); n > 0 && h.arrived[n-1].place >= place; {
		n--
	}
	h.arrived = h.arrived[:n]
}

// stands passes on the reports made in windows that start before a time (ps): they will not be
// rolled back. h may be nil.
func (h *held) stands(until int64) {
	if h == nil {
		return
	}
	end, n := h.place(), 0
	for n < len(h.windows) && h.windows[n].begin < until {
		n++
	}
	if n < len(h.windows) {
		end = h.windows[n].place
	}
	h.windows = append(h.windows[:0], h.windows[n:]...)
	kept := &h.blocks[0]
	var fresh []byte
	if end > h.handed {
		fresh = kept.data[h.handed-h.from : end-h.from]
		h.handed = end
	}
	h.hand(fresh, h.earliest(end, until))
	if end > h.from && end == h.handed {
		kept.data = append(kept.data[:0], kept.data[end-h.from:]...)
		h.from = end
		first := slices.IndexFunc(h.arrived, func(a arrival) bool { return a.place >= end })
		if first < 0 {
			first = len(h.arrived)
		}
		h.arrived = append(h.arrived[:0], h.arrived[first:]...)
	}
}
