package model

// Age grants the packet with the oldest message (see Message.Since).
const Age Arbiter = 3

var _ = registerArbiter(Age, ArbiterKind{
	Name: "age",
	Help: "the packet whose message was posted first, or generated first in an open loop",
	Rank: func(r *Request) Rank { return Rank{r.Since, r.Asked} },
})
