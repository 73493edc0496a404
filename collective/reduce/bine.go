package reduce

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
)

var _ = Algorithms.Register(90, collective.Info{
	Name: collective.Bine, Overlaps: true, CommutativeOnly: true, Summary: "the buffer up a Bine tree, the nearest first",
}, Bine)

// Bine reduces up a binomial negabinary tree (De Sensi et al., Bine Trees: Enhancing Collective
// Operations by Optimizing Communication Locality, SC 2025). There are p-1 messages in total, for any
// number of ranks.
var Bine = alongTree(partners.BineUp, 0)
