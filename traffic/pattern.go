package traffic

import (
	"fmt"

	"fabricast/internal/registry"
	"fabricast/topology"
)

// Pattern selects the destinations of messages. Implementations are immutable and safe for
// concurrent use.
type Pattern interface {
	// Destination returns a random destination of a message from host src, with random numbers from
	// d. It may return src: such a message passes through the router of src.
	Destination(src int32, d *Draws) int32
	// Shares calls visit for each destination of host src, with its share of the messages from src.
	// The shares add up to 1; a destination may be visited more than once. If visit returns false,
	// Shares stops and returns false.
	Shares(src int32, visit func(dst int32, share float64) bool) bool
	// Fan returns an upper bound on the work of Shares for one host: the number of destinations
	// visited or tried.
	Fan() int
}

// Classed is a Pattern that assigns priority classes to messages, for routers that arbitrate by
// priority.
type Classed interface {
	Pattern
	// DestinationIn is like Destination, and also returns the class of the message. Greater is more
	// urgent.
	DestinationIn(src int32, d *Draws) (dst int32, class uint8)
}

// Spec holds the name of a pattern, and the parameters of all patterns.
type Spec struct {
	Name  string
	Dims  []int   // tornado, neighbour: radix of each digit of a host ID, least significant first
	Hosts []int32 // hot-spot: the hot hosts
	Share int64   // hot-spot: share of the messages that go to Hosts, in units of 1/LoadUnit
	Block int     // group: number of hosts per group
	Table []int32 // permutation: destination of each host
	Parts []Part  // mix: classes of destinations
}

// Kind describes a pattern for experiments, help and documentation. It is registered in the file of
// the pattern.
type Kind struct {
	Name    string
	Summary string   // description in one line
	Params  []string // names of its parameters in experiments
	// Example is an example of the parameters, in YAML, if some are required.
	Example string
	// Destination and Source are for docs/traffic.md: the destination of host s of N hosts, and the
	// publication that defines the pattern. If Destination is empty, Summary is used instead.
	Destination, Source string

	build func(Spec, topology.Topology) (Pattern, error)
}

var registered registry.Of[Kind]

// register adds a kind. Lists and messages show kinds in ascending order of place, which must be
// unique.
func register(place int, k Kind) struct{} {
	registered.Add(place, k, k.Name)
	return struct{}{}
}

// Kinds returns the descriptions of all patterns.
func Kinds() []*Kind { return registered.All() }

// Names returns the names of all patterns.
func Names() []string { return registered.Names() }

// Find returns the description of the pattern with the given name; nil if there is none.
func Find(name string) *Kind { return registered.Find(name) }

// New creates a pattern for the hosts of topology t. The error is a *Problem.
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
	// Entry is 1 + the index of the invalid entry in Spec.Table. If the table has the wrong length,
	// it refers to the last entry, or to the first surplus one. 0 means that the problem is not in
	// the table.
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
