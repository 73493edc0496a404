package fabric

// Age grants the packet whose message was posted first.
const Age Arbiter = 3

var _ = registerArbiter(Age, ArbiterKind{
	Name: "age",
	Help: "the packet whose message was posted first",
	Rank: func(r *Request) Rank { return Rank{r.Posted, r.Asked} },
})
