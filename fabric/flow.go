package fabric

import "math"

// flow computes on the general path how much space packets need.
type flow struct {
	own   func(*Entry) int64 // see FlowControl.Needs; nil: their size
	entry Entry              // what it is told of the packet that asks
	r     *routerState       // being visited
	*layout
	messages *messageTable
	// flits: sizes of the output buffer, and of the input buffer behind the link
	output, input int64
}

func newFlow(b *nics) flow {
	f := flow{layout: b.layout, messages: &b.messages, input: int64(b.capacity), output: int64(b.capacity)}
	if full := int64(b.spec.Router.OutputBuffer); full > 0 {
		f.output = full / b.spec.Packet.Flit
	}
	if c := b.spec.Router.FlowControl; !c.fast() {
		f.own = c.Needs
	}
	return f
}

// unknown is the need (flits) of a packet whose need has not been computed. No buffer ever meets
// it.
const unknown = math.MaxInt32

// most returns an upper bound of what each packet needs at any output (flits).
func (f *flow) most() int32 {
	if f.own != nil {
		return unknown
	}
	return int32(f.maxFlits)
}

// asks makes a packet in an input slot of the visited router the one that requests the crossbar. It
// returns the packet's size (flits).
func (f *flow) asks(slot uint32, p *parcel) int32 {
	if f.own != nil {
		f.atInput(slot, p)
	}
	return int32(p.flits & flitMask)
}

// needs returns how many flits must be free at an output slot for the requesting packet, whose size
// is `flits`.
func (f *flow) needs(out uint32, flits int32) int32 {
	if f.own == nil {
		return flits
	}
	return f.ask(out, flits)
}

// ask implements needs for a user's flow control.
func (f *flow) ask(out uint32, flits int32) int32 {
	if flits == unknown {
		return flits
	}
	e := &f.entry
	e.OutPort, e.OutVC = int32(out/f.vcs), int32(out%f.vcs)
	return f.answer()
}

// answer calls the flow control and returns its result (flits), limited to its bounds.
func (f *flow) answer() int32 {
	e := &f.entry
	flits, capacity := e.Flits, e.Capacity
	return int32(max(flits, min(f.own(e), capacity)))
}

// atInput fills in the Entry for a packet in an input buffer.
func (f *flow) atInput(slot uint32, p *parcel) {
	f.describe(p.msg, p.flits)
	e, vcs := &f.entry, f.vcs
	e.Router, e.Capacity, e.Output = f.name(f.r.number), f.output, f.spec.Router.OutputBuffer > 0
	e.InPort, e.InVC = int32(slot/vcs), int32(slot%vcs)
}

// linkNeeds returns how many flits must be free at the other end of a link for a packet in an
// output buffer.
func (f *flow) linkNeeds(out uint32, p *parcel) int32 {
	if f.own == nil {
		return int32(p.flits & flitMask)
	}
	f.describe(p.msg, p.flits)
	e := &f.entry
	e.Router, e.Capacity = f.name(f.r.number), f.input
	e.InPort, e.InVC, e.Output = -1, -1, false
	return f.ask(out, int32(p.flits&flitMask))
}

// nicNeeds returns how many flits must be free in the router's buffer for the next packet of a NIC.
func (f *flow) nicNeeds(n *nic, size uint16) int32 {
	if f.own != nil {
		return f.atNIC(n, size)
	}
	return int32(size & flitMask)
}

// atNIC implements nicNeeds for a user's flow control.
func (f *flow) atNIC(n *nic, size uint16) int32 { return f.onVC(MsgID(n.head), n.vc, size) }

// onVC returns what atNIC does, for a packet of a message that enters by a VC.
func (f *flow) onVC(msg MsgID, vc uint32, size uint16) int32 {
	f.describe(msg, size)
	e := &f.entry
	e.Router, e.Capacity = -1, f.input
	e.InPort, e.InVC, e.OutPort, e.OutVC, e.Output = -1, -1, -1, int32(vc), false
	return f.answer()
}

// describe fills in those fields of the Entry that do not depend on where the packet is.
func (f *flow) describe(id MsgID, flits uint16) {
	m, e := f.messages.at(id), &f.entry
	e.Flits = int64(flits & flitMask)
	e.Source, e.Destination, e.Bytes, e.Class = m.Src, m.Dst, m.Size, m.Class
}
