package model

// Arrival grants the packet whose head arrived at the router first. In contrast to FCFS, the time
// that it spent behind other packets of its FIFO counts too.
const Arrival Arbiter = 5

var _ = registerArbiter(Arrival, ArbiterKind{
	Name: "arrival",
	Help: "the packet whose head has arrived first",
	Rank: func(r *Request) Rank { return Rank{r.Ready, r.Asked} },
})
