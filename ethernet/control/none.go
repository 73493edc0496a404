package control

// None sends as fast as the link allows.
type None struct{ Quiet }

// Words implements Algorithm.
func (None) Words() int { return 0 }

// Start implements Algorithm.
func (None) Start([]uint64, *Path) {}

// Limits implements Algorithm.
func (None) Limits([]uint64, *Path) Limits { return Limits{Window: Unlimited} }

// Ack implements Algorithm.
func (None) Ack([]uint64, *Path, *Ack) {}
