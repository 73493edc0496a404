package main

import "fabricast/fabric"

// largest is an arbiter: the largest packet wins, and of equal packets the one that requested
// first.
var largest = &fabric.ArbiterKind{
	Name: "largest", Help: "the largest packet",
	Rank: func(r *fabric.Request) fabric.Rank { return fabric.Rank{-r.Flits, r.Asked} },
}
