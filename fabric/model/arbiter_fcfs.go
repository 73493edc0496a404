package model

// FCFS (first come, first served) grants in the order of the requests' times. Ties go to the input
// with the lower index (port, then VC).
const FCFS Arbiter = 0

var _ = registerArbiter(FCFS, ArbiterKind{
	Name: "fcfs",
	Help: "the packet that has asked first",
})
