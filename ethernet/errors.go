package ethernet

import "fmt"

// LossError is the value that a block panics with when a message can never arrive, because a packet of
// it is lost again and again, or is lost and nothing sends it again.
type LossError struct{ Reason string }

func (e *LossError) Error() string { return e.Reason }

// BufferError reports a shared buffer of which reserves and headrooms leave no packet to share.
type BufferError struct {
	Router int
	Size   int64 // of the buffer (bytes)
	Needed int64 // the least size of that router's (bytes)
}

func (e *BufferError) Error() string {
	return fmt.Sprintf("the ports of router %d need %d B for themselves and a packet, its buffer has %d B",
		e.Router, e.Needed, e.Size)
}
