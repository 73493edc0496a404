package traffic

import (
	"fmt"

	"fabricast/internal/registry"
	"fabricast/topology"
)

// Pattern chooses the destinations of messages. Implementations are immutable and safe for
// concurrent use.
type Pattern interface {
	// Destination returns the destination host of a message of host src. Random choices use d. It
	// may be src itself: such a message passes through its router.
	Destination(src int32, d *Draws) int32
	// Shares calls visit for the destinations of a host with their shares of its messages, which
	// add up to 1, until visit returns false; then it returns false too. It may visit a destination
	// more than once.
	Shares(src int32, visit func(dst int32, share float64) bool) bool
	// Fan returns an upper bound of the work of Shares for one host: the number of destinations
	// visited or tried.
	Fan() int
}

// Classed is a Pattern whose messages have a priority class, for routers that arbitrate by
// priority.
type Classed interface {
	Pattern
	// Class returns the class of the messages from one host to another; greater is more urgent.
	Class(src, dst int32) uint8
}

// Spec names a pattern and holds the parameters of all patterns.
type Spec struct {
	Name  string
	Dims  []int   // tornado, neighbour: radix of each digit of a host's number, the lowest first
	Hosts []int32 // hot-spot: the hot hosts
	Share int64   // hot-spot: of messages that go to them, in units of 1/LoadUnit
	Block int     // group: hosts of a group
	Table []int32 // permutation: the destination of each host
	Parts []Part  // mix
}

// Kind describes a pattern for experiments, help and documentation. It is registered in the file of
// its pattern.
type Kind struct {
	Name    string
	Summary string   // one line
	Params  []string // fields of experiments that it has besides the name
	// Example shows the parameters of a pattern that needs some, as YAML.
	Example string
	// Destination and Source are for docs/traffic.md: the host to which host s of N sends, and the
	// publication that describes the pattern. If Destination is empty, the Summary takes its place.
	Destination, Source string

	build func(Spec, topology.Topology) (Pattern, error)
}

var registered registry.Of[Kind]

// register adds a kind. Lists and messages name kinds in the order of their places, which must
// differ.
func register(place int, k Kind) struct{} {
	registered.Add(place, k, k.Name)
	return struct{}{}
}

// Kinds lists the descriptions of all patterns.
func Kinds() []*Kind { return registered.All() }

// Names lists the names of all patterns.
func Names() []string { return registered.Names() }

// Find returns the description of a pattern by its name, nil if there is none.
func Find(name string) *Kind { return registered.Find(name) }

// New makes a pattern for the hosts of a network. The error is a *Problem.
func New(s Spec, t topology.Topology) (Pattern, error) {
	k := Find(s.Name)
	if k == nil {
		return nil, &Problem{Field: "name", Found: s.Name, Expected: "the name of a pattern"}
	}
	return k.build(s, t)
}

// Problem describes a parameter of a pattern that is invalid.
type Problem struct {
	Field    string // such as "dims"
	Found    string
	Expected string
	Hint     string // may be empty
	// Entry is 1 + the entry of the Spec's Table that is wrong, or that is the last or the first too
	// many if their number is; 0: it is none.
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
