package traffic

import (
	"fmt"

	"fabricast/topology"
)

// Pattern decides where messages go. Implementations are immutable and may be
// used from many goroutines.
type Pattern interface {
	// Destination returns the host to which a message of host src goes, drawing on d
	// for whatever is random. It may be src itself: such a message takes the way
	// through its router.
	Destination(src int32, d *Draws) int32
}

// Classed is implemented by patterns whose messages have a class, for switches that
// arbitrate by priority.
type Classed interface {
	Pattern
	// Class is that of the messages from a host to another; the greater, the more urgent.
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

// Kind is a pattern by name.
type Kind struct {
	Name    string
	Summary string
	Params  []string // fields of experiments that it takes besides the name
	build   func(Spec, topology.Topology) (Pattern, error)
}

// Kinds lists all patterns.
func Kinds() []Kind {
	return []Kind{
		{"uniform", "every host, itself included, is equally likely", nil, newUniform},
		{"uniform-others", "every other host is equally likely", nil, newUniformOthers},
		{"complement", "all bits of the host's number inverted", nil, newComplement},
		{"reversal", "the bits of the host's number in reverse order", nil, newReversal},
		{"shuffle", "the bits of the host's number rotated up by one", nil, newShuffle},
		{"transpose", "upper and lower half of the bits of the host's number exchanged", nil, newTranspose},
		{"tornado", "just under half-way round in every dimension", []string{"dims"}, newTornado},
		{"neighbour", "one step up in every dimension", []string{"dims"}, newNeighbour},
		{"hot-spot", "a share of the messages goes to the hot hosts, the rest to all", []string{"hosts", "share"}, newHotSpot},
		{"group", "a random host of the next group of consecutive hosts", []string{"block"}, newGroup},
		{"worst", "the known worst case of the topology under minimal routing", nil, newWorst},
		{"permutation", "host i sends to the host in line i of a file", []string{"file"}, newPermutation},
		{"mix", "shares of the messages by distance or by block", []string{"parts"}, newMix},
	}
}

// Names lists the names of all patterns.
func Names() []string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, k.Name)
	}
	return names
}

// Find returns a pattern by name, nil if there is none.
func Find(name string) *Kind {
	for _, k := range Kinds() {
		if k.Name == name {
			return &k
		}
	}
	return nil
}

// New makes a pattern for the hosts of a network. Its error is a *Problem.
func New(s Spec, t topology.Topology) (Pattern, error) {
	k := Find(s.Name)
	if k == nil {
		return nil, &Problem{Field: "name", Found: s.Name, Expected: "the name of a pattern"}
	}
	return k.build(s, t)
}

// Problem is a parameter of a pattern that does not fit.
type Problem struct {
	Field    string // such as "dims"
	Found    string
	Expected string
	Hint     string // may be empty
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
