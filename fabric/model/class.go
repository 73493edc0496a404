package model

// MostClasses is the largest number of classes of a network.
const MostClasses = 8

// Class is how routers and NICs treat the messages of a class that has virtual channels of its own.
type Class struct {
	// Priority is strict: a class sends only if none with a greater priority can. It is 0 to 255.
	Priority int
	// Weight is the share that a class gets among those of its priority (1 to 10,000).
	Weight int
}

// Set returns the number of virtual channels of each class of messages: the routing algorithm uses
// these as if they were all that a port has. Without classes it is all of them.
func (r *Router) Set() int { return r.VCs / max(1, len(r.Classes)) }

// Weighs reports whether some classes of one priority have different weights.
func (r *Router) Weighs() bool {
	weights := map[int]int{}
	for _, c := range r.Classes {
		if w, known := weights[c.Priority]; known && w != c.Weight {
			return true
		}
		weights[c.Priority] = c.Weight
	}
	return false
}
