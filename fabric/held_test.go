package fabric

import (
	"slices"

	"fabricast/engine"
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/inputqueued"
	"fabricast/fabric/model"
)

// DelayOf is a kind of delay of streams, which tests make too long.
type DelayOf struct {
	Name    string
	delay   func(b *Block, by int64)
	Checked bool // if it is too long, invariants are broken, and results hardly ever differ
}

// Delays lists the delays by which the effects of streams and the notices about them travel.
func Delays() []DelayOf {
	within := func(f func(late *inputqueued.Late) *int64) func(b *Block, by int64) {
		return func(b *Block, by int64) {
			var late inputqueued.Late
			*f(&late) = by
			b.fast.DelayStreams(late)
		}
	}
	across := func(f func(late *core.Late) *int64) func(b *Block, by int64) {
		return func(b *Block, by int64) {
			var late core.Late
			*f(&late) = by
			b.nics.Mail.DelayNotices(late)
		}
	}
	effect := func(kind int) func(b *Block, by int64) {
		return across(func(l *core.Late) *int64 { return &l.Effect[kind] })
	}
	notice := func(kind int) func(b *Block, by int64) {
		return across(func(l *core.Late) *int64 { return &l.Notice[kind] })
	}
	return []DelayOf{
		{Name: "packets", delay: within(func(l *inputqueued.Late) *int64 { return &l.Ready })},
		{Name: "packets of a NIC", delay: within(func(l *inputqueued.Late) *int64 { return &l.Entry })},
		{Name: "credit", delay: within(func(l *inputqueued.Late) *int64 { return &l.Credit })},
		{Name: "credit of a NIC", delay: within(func(l *inputqueued.Late) *int64 { return &l.Returned })},
		{Name: "packets to a NIC", delay: within(func(l *inputqueued.Late) *int64 { return &l.Received })},
		{Name: "fewer packets", delay: within(func(l *inputqueued.Late) *int64 { return &l.Fewer }), Checked: true},
		{Name: "less credit", delay: within(func(l *inputqueued.Late) *int64 { return &l.Less })},
		{Name: "packets to another block", delay: effect(core.LateAnnounced)},
		{Name: "fewer packets to another block", delay: effect(core.LateFewer), Checked: true},
		{Name: "notice of fewer packets", delay: notice(core.LateFewer)},
		{Name: "departures to another block", delay: effect(core.LateDeparting)},
		{Name: "fewer departures to another block", delay: effect(core.LateDeparted)},
		{Name: "notice of fewer departures", delay: notice(core.LateDeparted)},
	}
}

// Delay makes one of the delays longer by a time (ps).
func (n *Network) Delay(of DelayOf, by int64) {
	for _, b := range n.blocks {
		if b.fast != nil {
			of.delay(b, by)
		}
	}
}

// HeldBlocks returns the blocks of a network, for one worker. Each processes what others have sent as
// late as possible: in the window in which some of it takes effect, as may happen in Time Warp.
func (n *Network) HeldBlocks() []engine.Block {
	var blocks []engine.Block
	for _, b := range n.blocks {
		blocks = append(blocks, &held{Block: b, from: make([][]core.Box, len(n.blocks))})
	}
	return blocks
}

// held is a block with what it has not processed yet.
type held struct {
	*Block
	from [][]core.Box // by sending block, in the order in which that has sent them
}

// Collect implements engine.Block.
func (h *held) Collect(round uint64) {
	for i, other := range h.net.blocks {
		x := other.nics.Mail.Boxes[h.nics.Index-other.nics.Mail.Base][(round-1)&1]
		x.Packets, x.Credits = slices.Clone(x.Packets), slices.Clone(x.Credits)
		x.Arrivals, x.Departures = slices.Clone(x.Arrivals), slices.Clone(x.Departures)
		now := core.Box{Released: x.Released, Over: x.Over, First: model.Forever}
		h.takeIn(&now)
		x.Released, x.Over = nil, [core.SizeClasses]uint32{}
		if x.Filled() {
			h.from[i] = append(h.from[i], x)
		}
	}
}

// Next implements engine.Part.
func (h *held) Next() int64 {
	next := h.Block.Next()
	for _, boxes := range h.from {
		for i := range boxes {
			if first := boxes[i].First; first != model.Forever {
				next = min(next, first/h.Window())
			}
		}
	}
	return next
}

// Run implements engine.Part.
func (h *held) Run(window int64, round uint64) {
	for i, boxes := range h.from {
		take := 0
		for j := range boxes {
			if boxes[j].First/h.Window() <= window || boxes[j].First == model.Forever && take == j {
				take = j + 1
			}
		}
		for j := range take {
			h.takeIn(&boxes[j])
		}
		h.from[i] = boxes[take:]
	}
	h.Block.Run(window, round)
}
