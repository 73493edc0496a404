package core

import (
	"unsafe"

	"fabricast/fabric/model"
	"fabricast/internal/causes"
	"fabricast/internal/prefetch"
	"fabricast/internal/snapshot"
)

// Division is the latency of a message in flight, divided by cause as far as it is known. It is two cache
// lines.
type Division struct {
	// At is the time (ps) from Message.Post up to which the parts reach. Of a delivered message it is the part
	// Overtaken, which ends its latency.
	At    int64
	Begun bool // it is divided since its Post, and not delivered
	_     [3]bool
	// Block goes on with the division: it has the message's last packet, or is to send it.
	Block uint32
	parts [causes.Overtaken - causes.FirstOfNetwork]int64
}

// Reach charges the time up to `at` (ps) to a part.
func (d *Division) Reach(part causes.Part, at int64) {
	d.parts[part-causes.FirstOfNetwork] += at - d.At
	d.At = at
}

// Charge is like Reach, for a duration (ps).
func (d *Division) Charge(part causes.Part, took int64) {
	d.parts[part-causes.FirstOfNetwork] += took
	d.At += took
}

// Part returns a part of the latency (ps) before the message is delivered.
func (d *Division) Part(part causes.Part) int64 { return d.parts[part-causes.FirstOfNetwork] }

// End ends the division of a message that is delivered at the time `at` (ps).
func (d *Division) End(at int64) { d.Begun, d.At = false, at-d.At }

// Parts returns the latency of a delivered message by cause.
func (d *Division) Parts() (p causes.Parts) {
	copy(p[causes.FirstOfNetwork:], d.parts[:])
	p[causes.Overtaken] = d.At
	return p
}

// ChargeHop charges the fixed times from the start on a link to a router until the packet may request
// its output there. Before the link, it passes the crossbar for post ps.
func (d *Division) ChargeHop(l *Layout, class uint16, post int64) { d.ChargeHops(l, class, post, 1) }

// ChargeHops is like ChargeHop for n links of one class in turn.
func (d *Division) ChargeHops(l *Layout, class uint16, post, n int64) {
	d.Charge(causes.Pipeline, n*(post+l.Spec.Router.RequestDelay()))
	d.Charge(causes.Wire, n*int64(l.Spec.Links[class].Latency))
}

// Divides reports whether the latencies of messages are divided.
func (t *MessageTable) Divides() bool { return t.Divisions != nil }

// Division returns the division of a message of any block.
func (t *MessageTable) Division(id model.MsgID) *Division {
	return &t.Divisions[uint32(id)>>t.IndexBits][uint32(id)&t.indexMask]
}

// LoadDivision prefetches the division of a message, if latencies are divided. The message need not exist.
func (t *MessageTable) LoadDivision(id model.MsgID) {
	block, index := t.Owner(id)
	if uint64(block) < uint64(len(t.Divisions)) && uint64(index) < uint64(len(t.Divisions[block])) {
		at := uintptr(unsafe.Pointer(&t.Divisions[block][index]))
		prefetch.Two(at, at+prefetch.LineSize)
	}
}

// Divide begins the division of a message of this block, from a time (ps) on.
func (t *MessageTable) Divide(id model.MsgID, from int64) *Division {
	d := t.Division(id)
	*d = Division{At: from, Begun: true, Block: t.Block}
	return d
}

// DivisionState visits the divisions of the block's messages. before is the value of Used before the
// messages were visited.
func (t *MessageTable) DivisionState(v *snapshot.Visitor, before uint32) {
	if t.Divides() {
		divisions := ArrayOf(t.Divisions[t.Block])
		WalkFirst(v, &divisions, 1+t.Used, 1+before)
	}
}

// TakeDivisions makes this block go on with the divisions of messages whose last packets are in a box.
func (t *MessageTable) TakeDivisions(x *Box) {
	for id := range x.LastPackets() {
		t.Division(id).Block = t.Block
	}
}
