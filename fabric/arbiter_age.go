package fabric

// Age grants the packet whose message is the oldest: see Message.Since.
const Age Arbiter = 3

var _ = registerArbiter(Age, ArbiterKind{
	Name: "age",
	Help: "the packet whose message has waited longest since its source posted or generated it",
	Rank: func(r *Request) Rank { return Rank{r.Since, r.Asked} },
})
