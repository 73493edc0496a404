package fabric

// FlowControl decides when a packet may enter the next buffer: as soon as the buffer has as many
// free flits as Needs returns. Needs must be a pure function of its Entry: blocks call it in
// parallel, and any number of times.
type FlowControl struct {
	Name string // the word for it
	Help string // when a packet may enter, in one line
	// Needs returns how many flits of the buffer must be free. A result below the packet's size
	// counts as the packet's size, one above the buffer's size as the buffer's size. nil means the
	// packet's size.
	Needs func(*Entry) int64
}

// VirtualCutThrough lets a packet enter as soon as all of it has space (Kermani and Kleinrock,
// Computer Networks 1979).
var VirtualCutThrough = &FlowControl{
	Name: "virtual-cut-through",
	Help: "as soon as there is space for all of the packet",
}

// Entry describes a packet that is about to enter a buffer.
type Entry struct {
	Flits    int64 // its size
	Capacity int64 // flits of the buffer
	// of the packet's message
	Source, Destination int32 // NICs
	Bytes               int64 // payload
	Class               uint8
	Router              int32 // at which it is; -1: at its NIC
	InPort, InVC        int32 // the input buffer in which it is; -1 if it is in none
	OutPort             int32 // by which it leaves the router; -1: it leaves its NIC
	OutVC               int32 // virtual channel of the buffer
	Output              bool  // the buffer is that port's output buffer, not the next input buffer
}

// fast reports whether the fast path implements this flow control.
func (c *FlowControl) fast() bool { return c == nil || c.Needs == nil }
