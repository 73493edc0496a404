package run

import (
	"slices"

	"fabricast/internal/snapshot"
	"fabricast/node"
)

// held keeps what a part of an optimistic run reports until the windows in which it was reported
// stand. A part that is taken back takes its reports back with it: how much it has reported is a part
// of its state.
//
// Reports have places in the order in which they are made. A part may be taken back to a window from
// which reports have been handed on, and repeats it; then these are made again, at the same places,
// and are not handed on again.
type held struct {
	*relay         // keeps the reports from a place on
	from    int64  // this place
	handed  int64  // reports before this place have been handed on
	windows []mark // that have begun since, as far as they have not been taken back
	hand    func(data []byte, begin int64)
	arrived []arrival // of the messages that are kept, in the order of their places
}

// arrival is when a message was delivered (ps), and its place among the reports.
type arrival struct{ at, place int64 }

// mark is where the reports of a window begin.
type mark struct{ begin, place int64 }

// newHeld keeps the reports of a block, of all blocks the one with this number. hand takes reports
// together with a time (ps): no later report is of an earlier one.
func newHeld(block int, hand func(data []byte, begin int64)) *held {
	return &held{relay: &relay{first: block, blocks: make([]relayed, 1)}, hand: hand}
}

// place returns that of the next report.
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

// earliest returns the earliest time (ps) of reports that will be handed on after those before a place
// and a time: also of messages that had arrived then, but that their ranks took later. The part may
// have gone on since, or have been taken back.
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

// takeBack removes the reports from a place on.
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

// stands hands on what was reported in windows that begin before a time (ps): they will not be taken
// back. h may be nil.
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
