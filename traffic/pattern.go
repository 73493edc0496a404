package traffic

import (
	"fmt"

	"fabricast/internal/registry"
	"fabricast/topology"
)

// Pattern selects the destinations of messages. Implementations are immutable and safe for
// concurrent use.
type Pattern interface {
	// Destination returns the destination of a message from host src. It takes random numbers from
	// d. The destination may be src itself: such a message passes through src's router.
	Destination(src int32, d *Draws) int32
	// Shares calls visit for each destination of host src, with its share of the messages from src.
	// The shares add up to 1. If visit returns false, Shares stops and returns false. It may visit
	// a destination more than once.
	Shares(src int32, visit func(dst int32, share float64) bool) bool
	// Fan returns an upper bound on the work of Shares for one host: the number of destinations
	// visited or tried.
	Fan() int
}

// Classed is a Pattern whose messages have priority classes, for routers that arbitrate by
// priority.
type Classed interface {
	Pattern
	// Class returns the class of the messages from host src to host dst. Greater is more urgent.
	Class(src, dst int32) uint8
}

// Spec names a pattern and holds the parameters of all patterns.
type Spec struct {
	Name  string
	Dims  []int   // tornado, neighbour: radix of each digit of a host ID, the lowest first
	Hosts []int32 // hot hosts of the pattern hot-spot
	Share int64   // hot-spot: share of messages that go to them, in units of 1/LoadUnit
	Block int     // number of hosts per group of the pattern group
	Table []int32 // destination of each host, for a permutation
	Parts []Part  // parts of a mix
}

// Kind describes a pattern for experiments, help and documentation. The file of the pattern
// registers it.
type Kind struct {
	Name    string
	Summary string   // description in one line
	Params  []string // fields that it has in experiments, besides the name
	// Example shows the parameters, in YAML, of a pattern that requires some.
	Example string
	// Destination and Source are for docs/traffic.md: the host that host s of N sends to, and the
	// publication that describes the pattern. If Destination is empty, the Summary takes its place.
	Destination, Source string

	build func(Spec, topology.Topology) (Pattern, error)
}

var registered registry.Of[Kind]

// register adds a kind. Lists and messages show the kinds in ascending order of place. Places must
// differ.
func register(place int, k Kind) struct{} {
	registered.Add(place, k, k.Name)
	return struct{}{}
}

// Kinds lists the descriptions of all patterns.
func Kinds() []*Kind { return registered.All() }

// Names lists the names of all patterns.
func Names() []string { return registered.Names() }

// Find returns the description of the pattern with the given name, or nil if there is none.
func Find(name string) *Kind { return registered.Find(name) }

// New creates a pattern for the hosts of a network. The error is a *Problem.
func New(s Spec, t topology.Topology) (Pattern, error) {
	k := Find(s.Name)
	if k == nil {
		return nil, &Problem{Field: "name", Found: s.Name, Expected: "the name of a pattern"}
	}
	return k.build(s, t)
}

// Problem describes an invalid parameter of a pattern.
type Problem struct {
	Field    string // name of the parameter, such as "dims"
	Found    string
	Expected string
	Hint     string // advice; may be empty
	// Entry is 1 plus the index of the invalid entry in the Spec's Table. If the table has the
	// wrong length, the entry is the last one, or the first surplus one. 0 means that the problem
	// is not in the table.
	Entry int
}

func (p *Problem) Error() string {
	text := fmt.Sprintf("%s: found %s, expected %s", p.Field, p.Found, p.Expected)
	if p.Hint != "" {
		text += " (" + p.Hint + ")"
	}
	return text
}

// table is a pattern in which every host has one destination.
type table []int32

// Destination implements Pattern.
func (t table) Destination(src int32, _ *Draws) int32 { return t[src] }

func hosts(t topology.Topology) int { return t.Graph().Hosts }
