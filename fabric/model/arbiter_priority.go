package model

// Priority grants the packet whose message has the highest traffic class.
const Priority Arbiter = 4

var _ = registerArbiter(Priority, ArbiterKind{
	Name: "priority",
	Help: "the packet whose message is of the greatest class",
	Rank: func(r *Request) Rank { return Rank{-int64(r.Class), r.Asked} },
})
