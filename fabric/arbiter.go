package fabric

import "fabricast/internal/registry"

// Arbiter is the number of a built-in arbiter. An arbiter orders the packets that request the same
// crossbar output, virtual channel or link at the same instant. Each one is in a file arbiter_*.go.
type Arbiter uint8

// ArbiterKind describes an arbiter. Rank must be a pure function of its Request: blocks call it in
// parallel, and any number of times.
type ArbiterKind struct {
	Name string // the word for it in experiments
	Help string // whom it grants, in one line
	// Memory names what a crossbar output, virtual channel or link remembers of its earlier grants.
	Memory GrantMemory
	// Rank returns a request's rank. Of the requests of one instant the lowest rank wins; ties go
	// to the input with the lowest number. If Rank is nil, the order follows from Memory.
	Rank func(*Request) Rank
}

// GrantMemory names what a granted resource (a crossbar output, a virtual channel or a link)
// remembers of its earlier grants.
type GrantMemory uint8

const (
	// NoMemory: nothing. Without Rank, the packet that asked first wins.
	NoMemory GrantMemory = iota
	// LastGrant: the input granted last. Without Rank, the next input in cyclic order wins.
	LastGrant
	// GrantTimes: the time of each input's last grant. Without Rank, the input whose last grant is
	// the longest ago wins.
	GrantTimes
)

// Rank is a request's rank, compared number by number. The first number counts most.
type Rank [2]int64

// before reports whether r is granted before s. It is false if they are equal.
func (r Rank) before(s Rank) bool { return r[0] < s[0] || r[0] == s[0] && r[1] < s[1] }

// Request is what an arbiter may know of a packet that requests a resource.
type Request struct {
	Asked int64 // ps: since when it asks for this
	Ready int64 // ps: when it was ready to ask as far as it was itself concerned
	Flits int64 // its size
	// of the packet's message
	Source, Destination int32 // NICs
	Bytes               int64 // payload
	Posted              int64 // ps: when its NIC might start on it
	Since               int64 // ps: when it began to wait to be sent, see Message.Since
	Class               uint8 // the greater, the more urgent
	// Turn is the number of inputs between the one after the input granted last and the packet's
	// input, in cyclic order. Set with LastGrant only.
	Turn int64
	// Granted is when this resource was last granted to the packet's input (ps; -1: never). Set
	// with GrantTimes only.
	Granted int64
}

var arbiters registry.Of[ArbiterKind]

// registerArbiter adds an arbiter to the built-in ones under its number. Numbers are consecutive.
func registerArbiter(number Arbiter, k ArbiterKind) struct{} {
	arbiters.Add(int(number)+1, k, k.Name)
	return struct{}{}
}

// Arbiters returns the built-in arbiters, indexed by their numbers.
func Arbiters() []*ArbiterKind { return arbiters.All() }

// arbiterKind returns the description of the router's arbiter.
func (r *Router) arbiterKind() *ArbiterKind {
	if r.OwnArbiter != nil {
		return r.OwnArbiter
	}
	return Arbiters()[r.Arbiter]
}

// byAsking reports whether requests are granted in the order of their times (FCFS).
func (k *ArbiterKind) byAsking() bool { return k.Rank == nil && k.Memory == NoMemory }

// byTurn reports whether requests are granted in round robin.
func (k *ArbiterKind) byTurn() bool { return k.Rank == nil && k.Memory == LastGrant }

// fast reports whether the fast path implements this order.
func (k *ArbiterKind) fast() bool { return k.byAsking() || k.byTurn() }
