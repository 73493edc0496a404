package model

import "fabricast/internal/registry"

// Arbiter identifies a built-in arbiter. An arbiter orders the packets that request the same
// crossbar output, virtual channel or link at the same instant. Each arbiter is in its own file
// arbiter_*.go.
type Arbiter uint8

// ArbiterKind describes an arbiter. Rank must be a pure function of its Request: blocks call it
// concurrently, and any number of times.
type ArbiterKind struct {
	Name string // its name in experiments
	Help string // which packet it grants, in one line
	// Memory selects what a crossbar output, virtual channel or link remembers of its earlier
	// grants.
	Memory GrantMemory
	// Rank returns the rank of a request. Of simultaneous requests the one with the lowest rank
	// wins; ties go to the input with the lowest index. If Rank is nil, the order follows from
	// Memory.
	Rank func(*Request) Rank
}

// GrantMemory selects what a granted resource (a crossbar output, a virtual channel or a link)
// remembers of its earlier grants.
type GrantMemory uint8

const (
	// NoMemory remembers nothing. Without Rank, the packet that requested first wins.
	NoMemory GrantMemory = iota
	// LastGrant remembers the input granted last. Without Rank, the next input in cyclic order
	// wins.
	LastGrant
	// GrantTimes remembers the time of each input's last grant. Without Rank, the input whose last
	// grant is the longest ago wins.
	GrantTimes
)

// Rank is the rank of a request. Ranks are compared lexicographically.
type Rank [2]int64

// Before reports whether r is granted before s. It is false if they are equal.
func (r Rank) Before(s Rank) bool { return r[0] < s[0] || r[0] == s[0] && r[1] < s[1] }

// Request holds the properties of a request that an arbiter can use.
type Request struct {
	Asked int64 // start time of this request (ps)
	Ready int64 // earliest time at which the packet could have made the request if no other packet had been before it (ps)
	Flits int64 // size of the packet in flits
	// Properties of the packet's message.
	Source, Destination int32 // NIC IDs
	Bytes               int64 // payload of the message in bytes
	Posted              int64 // time from which its NIC could start sending it (ps)
	Since               int64 // time from which it waited to be sent (ps); see Message.Since
	Class               uint8 // class of the message: the greater, the more urgent
	// Turn is the position of the packet's input in cyclic order, counted from the input after the
	// one granted last. It is set only with LastGrant.
	Turn int64
	// Granted is the time at which this resource was last granted to the packet's input (ps; -1:
	// never). It is set only with GrantTimes.
	Granted int64
}

var arbiters registry.Of[ArbiterKind]

// registerArbiter adds a built-in arbiter. Arbiter values must be consecutive.
func registerArbiter(number Arbiter, k ArbiterKind) struct{} {
	arbiters.Add(int(number)+1, k, k.Name)
	return struct{}{}
}

// Arbiters returns the built-in arbiters, indexed by Arbiter.
func Arbiters() []*ArbiterKind { return arbiters.All() }

// ArbiterKind returns the description of the router's arbiter.
func (r *Router) ArbiterKind() *ArbiterKind {
	if r.OwnArbiter != nil {
		return r.OwnArbiter
	}
	return Arbiters()[r.Arbiter]
}

// ByAsking reports whether requests are granted in the order of their times (FCFS).
func (k *ArbiterKind) ByAsking() bool { return k.Rank == nil && k.Memory == NoMemory }

// ByTurn reports whether requests are granted in round-robin order.
func (k *ArbiterKind) ByTurn() bool { return k.Rank == nil && k.Memory == LastGrant }

// Fast reports whether the fast path (package inputqueued) implements this arbiter.
func (k *ArbiterKind) Fast() bool { return k.ByAsking() || k.ByTurn() }
