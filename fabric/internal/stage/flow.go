package stage

import (
	"math"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/model"
)

// flow computes, on the general path, how much space packets need.
type flow struct {
	Own   func(*model.Entry) int64 // see FlowControl.Needs; nil: the packets' sizes
	entry model.Entry              // argument of Own for the requesting packet
	r     *core.Router             // active router
	*core.Layout
	messages *core.MessageTable
	// sizes in flits of the output buffer, and of the input buffer behind the link
	output, input int64
}

func newFlow(b *nic.NICs) flow {
	f := flow{Layout: b.Layout, messages: &b.Messages, input: int64(b.Capacity), output: int64(b.Capacity)}
	if full := int64(b.Spec.Router.OutputBuffer); full > 0 {
		f.output = full / b.Spec.Packet.Flit
	}
	if c := b.Spec.Router.FlowControl; !c.Fast() {
		f.Own = c.Needs
	}
	return f
}

// unknown is the need (flits) of a packet whose need has not been computed. No buffer has that much
// space.
const unknown = math.MaxInt32

// most returns an upper bound on the need of any packet at any output (flits).
func (f *flow) most() int32 {
	if f.Own != nil {
		return unknown
	}
	return int32(f.MaxFlits)
}

// Asks makes a packet in an input VC of the active router the one that requests the crossbar. It
// returns the packet's size (flits).
func (f *flow) Asks(index uint32, p *Packet) int32 {
	if f.Own != nil {
		f.atInput(index, p)
	}
	return int32(p.Flits & core.FlitMask)
}

// Needs returns the number of flits that must be free at an output VC for the requesting packet,
// whose size is `flits`.
func (f *flow) Needs(out uint32, flits int32) int32 {
	if f.Own == nil {
		return flits
	}
	return f.ask(out, flits)
}

// ask implements Needs for a user's flow control.
func (f *flow) ask(out uint32, flits int32) int32 {
	if flits == unknown {
		return flits
	}
	e := &f.entry
	e.OutPort, e.OutVC = int32(out/f.NumVCs), int32(out%f.NumVCs)
	return f.answer()
}

// answer calls the flow control and returns its result (flits), clamped to the valid range.
func (f *flow) answer() int32 {
	e := &f.entry
	flits, capacity := e.Flits, e.Capacity
	return int32(max(flits, min(f.Own(e), capacity)))
}

// atInput fills in the Entry for a packet in an input buffer.
func (f *flow) atInput(index uint32, p *Packet) {
	f.describe(p.Msg, p.Flits)
	e, vcs := &f.entry, f.NumVCs
	e.Router, e.Capacity, e.Output = f.Name(f.r.Number), f.output, f.Spec.Router.OutputBuffer > 0
	e.InPort, e.InVC = int32(index/vcs), int32(index%vcs)
}

// LinkNeeds returns the number of flits that must be free at the other end of a link for a packet
// in an output buffer.
func (f *flow) LinkNeeds(out uint32, p *Packet) int32 {
	if f.Own == nil {
		return int32(p.Flits & core.FlitMask)
	}
	f.describe(p.Msg, p.Flits)
	e := &f.entry
	e.Router, e.Capacity = f.Name(f.r.Number), f.input
	e.InPort, e.InVC, e.Output = -1, -1, false
	return f.ask(out, int32(p.Flits&core.FlitMask))
}

// NicNeeds returns the number of flits that must be free in the router's buffer for the next packet
// of a NIC.
func (f *flow) NicNeeds(n *nic.Sender, size uint16) int32 {
	if f.Own != nil {
		return f.atNIC(n, size)
	}
	return int32(size & core.FlitMask)
}

// atNIC implements NicNeeds for a user's flow control.
func (f *flow) atNIC(n *nic.Sender, size uint16) int32 {
	return f.OnVC(model.MsgID(n.Head), n.VC, size)
}

// OnVC is like atNIC, for a packet of a message that enters through the given VC.
func (f *flow) OnVC(msg model.MsgID, vc uint32, size uint16) int32 {
	f.describe(msg, size)
	e := &f.entry
	e.Router, e.Capacity = -1, f.input
	e.InPort, e.InVC, e.OutPort, e.OutVC, e.Output = -1, -1, -1, int32(vc), false
	return f.answer()
}

// describe fills in those fields of the Entry that do not depend on the packet's location.
func (f *flow) describe(id model.MsgID, flits uint16) {
	m, e := f.messages.At(id), &f.entry
	e.Flits = int64(flits & core.FlitMask)
	e.Source, e.Destination, e.Bytes, e.Class = m.Src, m.Dst, m.Size, m.Class
}
