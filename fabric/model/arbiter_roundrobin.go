package model

// RoundRobin grants the first requesting input, in cyclic order, after the one that this output
// granted last.
const RoundRobin Arbiter = 1

var _ = registerArbiter(RoundRobin, ArbiterKind{
	Name:   "round-robin",
	Help:   "the input that comes next after the last one granted",
	Memory: LastGrant,
})
