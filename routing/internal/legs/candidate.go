package legs

// Candidate is one output that a packet may take at a router.
type Candidate struct {
	Port, VC uint16
	// Escape marks a channel of the escape network (Duato, IEEE Trans. Parallel and Distributed
	// Systems 1993). The escape network must be free of cycles on its own, and must be offered
	// wherever a packet may have to wait. If an algorithm marks no channel, all its channels
	// together must be free of cycles.
	Escape bool
	Cost   int64  // the less the better; flits, or what the algorithm makes of them
	Header uint64 // at the next router
}
