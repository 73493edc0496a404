package innetwork

import "fabricast/internal/units"

// Spec describes what the routers of a network can do.
type Spec struct {
	Trees   int         // largest number of trees of a router
	Slots   int         // segments of a tree that a router can have under way
	Window  int         // segments that a collective may have under way, in each tree
	Lanes   int         // trees of a group, over which its segments are dealt
	Payload units.Bytes // largest segment
	Latency units.Time  // from the last operand to the departure of the result
	Copy    units.Time  // from a result from above to the departure of the copies
	Reduces bool        // otherwise routers only copy
}

// Group is a list of ranks that get trees.
type Group struct {
	Job   int     // index of the program
	Shape int     // index of the list of groups that it is one of; the groups of a shape are disjoint
	Name  string  // such as "all"
	Ranks []int32 // ranks of the program, in the order of their communicator
}
