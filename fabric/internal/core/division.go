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
	// Number counts the divisions that the block has begun (wraps around), so that those of messages with
	// the same MsgID can be told apart.
	Number uint32
}

// Before reports whether d is older than e, which is of the same message or of another with its MsgID.
func (d *Division) Before(e *Division) bool {
	if d.Number != e.Number {
		return int32(d.Number-e.Number) < 0
	}
	return d.At < e.At
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
	t.Divided++
	*d = Division{At: from, Begun: true, Number: t.Divided}
	return d
}

// DivisionState visits the divisions of the block's messages.
func (t *MessageTable) DivisionState(v *snapshot.Visitor) {
	if t.Divides() {
		snapshot.Values(v, t.Divisions[t.Block][:1+t.Used])
	}
}
