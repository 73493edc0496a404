package core

import (
	"fabricast/fabric/model"
	"fabricast/internal/causes"
	"fabricast/internal/snapshot"
)

// Division is the latency of a message in flight, divided by cause as far as it is known.
type Division struct {
	causes.Parts
	At    int64 // the time (ps) from Message.Post up to which the parts reach
	Begun bool  // it is divided since its Post
	_     [3]bool
	// Block goes on with the division: it has the message's last packet, or is to send it.
	Block uint32
}

// Reach charges the time up to `at` (ps) to a part.
func (d *Division) Reach(part causes.Part, at int64) {
	d.Parts[part] += at - d.At
	d.At = at
}

// Charge is like Reach, for a duration (ps).
func (d *Division) Charge(part causes.Part, took int64) {
	d.Parts[part] += took
	d.At += took
}

// ChargeHop charges the fixed times from the start on a link to a router until the packet may request
// its output there. Before the link, it passes the crossbar for post ps.
func (d *Division) ChargeHop(l *Layout, class uint16, post int64) {
	d.Charge(causes.Pipeline, post+l.Spec.Router.RequestDelay())
	d.Charge(causes.Wire, int64(l.Spec.Links[class].Latency))
}

// Divides reports whether the latencies of messages are divided.
func (t *MessageTable) Divides() bool { return t.Divisions != nil }

// Division returns the division of a message of any block.
func (t *MessageTable) Division(id model.MsgID) *Division {
	return &t.Divisions[uint32(id)>>t.IndexBits][uint32(id)&t.indexMask]
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
	for i := range x.Packets {
		if p := &x.Packets[i].Packet; p.Flits&LastPacket != 0 {
			t.Division(p.Msg).Block = t.Block
		}
	}
}
