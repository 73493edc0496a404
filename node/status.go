package node

// Envelope is what nodes keep of a received (or probed) message.
type Envelope struct {
	Source int32 // rank in the communicator's numbering as the sender gave it
	Tag    int32
	Size   int64 // bytes
}

// Status describes the message in the numbers that programs calculate with.
func (e Envelope) Status() Status { return Status{int(e.Source), int(e.Tag), int(e.Size)} }

// Status tells a program of a received (or probed) message.
type Status struct {
	Source int // rank in the communicator's numbering as the sender gave it
	Tag    int
	Size   int // bytes
}
