package model

import "fabricast/internal/units"

// Envelope describes a received (or probed) message in the node's compact form.
type Envelope struct {
	Source int32 // rank in the communicator, as given by the sender
	Tag    int32
	Size   units.Bytes // bytes
}

// Status returns the envelope with fields of type int.
func (e Envelope) Status() Status { return Status{int(e.Source), int(e.Tag), int(e.Size)} }

// Status describes a received (or probed) message to a program.
type Status struct {
	Source int // rank in the communicator, as given by the sender
	Tag    int
	Size   int // bytes
}

// Delivery is the destination for the description of one message, for programs that need a
// description of each message: its envelope, and the mark of its contents.
type Delivery struct {
	Envelope
	Mark uint64 // 0 if the message has no mark or no contents
}
