package collective

// Start describes the call of a collective: everything that determines the messages of its ranks
// except for the number of ranks and the message sizes, if these do not depend on them.
type Start struct {
	Kind      Kind
	Algorithm Algorithm // its name, even if it is the default
	Root      int       // the root; 0 for collectives without one
	Ordered   bool      // whether it is a reduction with a non-commutative operation
	// Bytes is the size of the buffer, and Elem the size of its elements, in bytes. Both are 0 for
	// algorithms whose messages do not depend on sizes but for their own: those without segments,
	// unless they are Info.Sized.
	Bytes, Elem int
}

// Starter is a communicator that is notified when a collective starts on it.
type Starter interface {
	Comm
	// Start returns the communicator for the algorithm's messages.
	Start(s Start) Comm
}

// Start notifies a communicator that is a Starter that the collective starts, as `at` describes
// without its kind and algorithm. It returns the communicator for the algorithm's messages.
func (ch *Choice[F]) Start(c Comm, at Start) Comm {
	s, informed := c.(Starter)
	if !informed {
		return c
	}
	at.Kind, at.Algorithm = ch.kind, ch.chosen
	if ch.chosen == Default {
		at.Algorithm = ch.Name
	}
	if !ch.sized {
		at.Bytes, at.Elem = 0, 0
	}
	return s.Start(at)
}
