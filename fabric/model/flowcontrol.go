package model

// FlowControl decides when a packet may enter the next buffer: as soon as the buffer has as many
// free flits as Needs returns. Needs must be a pure function of its Entry: blocks call it
// concurrently, and any number of times.
type FlowControl struct {
	Name string // its name
	Help string // when a packet may enter, in one line
	// Needs returns the number of flits of the buffer that must be free. The result is clamped to
	// the range from the packet's size to the buffer's size. Nil means the packet's size.
	Needs func(*Entry) int64
}

// VirtualCutThrough lets a packet enter as soon as there is space for all of it (Kermani and
// Kleinrock, Computer Networks 1979).
var VirtualCutThrough = &FlowControl{
	Name: "virtual-cut-through",
	Help: "as soon as there is space for all of the packet",
}

// Entry describes a packet that is about to enter a buffer.
type Entry struct {
	Flits    int64 // size of the packet in flits
	Capacity int64 // size of the buffer in flits
	// Properties of the packet's message.
	Source, Destination int32 // NIC IDs
	Bytes               int64 // payload of the message in bytes
	Class               uint8
	Router              int32 // router that has the packet; -1: it is at its NIC
	InPort, InVC        int32 // input buffer that holds the packet; -1: none
	OutPort             int32 // port through which it leaves the router; -1: it leaves its NIC
	OutVC               int32 // virtual channel of the buffer that the packet is to enter
	Output              bool  // the buffer is that port's output buffer, not the next input buffer
}

// Fast reports whether the fast path (package inputqueued) implements this flow control.
func (c *FlowControl) Fast() bool { return c == nil || c.Needs == nil }
