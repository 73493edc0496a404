package model

import "fabricast/internal/units"

// Envelope describes a received (or probed) message in the node's compact form.
type Envelope struct {
	Source int32 // rank in the communicator's numbering as the sender gave it
	Tag    int32
	Size   units.Bytes // bytes
}

// Status returns the description with fields of type int.
func (e Envelope) Status() Status { return Status{int(e.Source), int(e.Tag), int(e.Size)} }

// Status describes a received (or probed) message to a program.
type Status struct {
	Source int // rank in the communicator's numbering as the sender gave it
	Tag    int
	Size   int // bytes
}

// Delivery receives the description of one message, for programs that need one for each message: its
// envelope, and the mark of its contents.
type Delivery struct {
	Envelope
	Mark uint64 // 0 if it has none, or no contents
}
