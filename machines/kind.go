package machines

import (
	"fmt"
	"slices"
	"strings"

	"fabricast/internal/registry"
)

// Description describes a machine that experiments can select by name.
type Description struct {
	Name    string `json:"name"`
	Summary string `json:"summary"` // one line: location, year, number of nodes, network
	Shape   Shape  `json:"shape"`
	// Settings are the fields of an experiment that the machine sets, in YAML, except for
	// network.topology.
	Settings string `json:"settings"`
	// Topology returns network.topology for a shape that Shape.Check accepts, in YAML on one line.
	Topology func(shape []int) string `json:"-"`
	// Mapping returns the mapping for a shape, in YAML, or "" if there is none. May be nil.
	Mapping func(shape []int) string `json:"-"`
	// Sources say where the numbers come from. Every field of Settings, and network.topology, must
	// be covered by Fields of a Source, directly or as a part of an entry.
	Sources []Source `json:"sources"`
	// Accuracy says what is known about the accuracy, and what is not modelled.
	Accuracy []string `json:"accuracy"`
	// Small is a small shape, for tests.
	Small []int `json:"-"`
}

// Shape describes the numbers of network.shape.
type Shape struct {
	Means   string `json:"means"`   // explanation in one line
	Default []int  `json:"default"` // lengths of the whole machine
	Lengths []int  `json:"lengths"` // numbers of entries that are allowed
	Most    []int  `json:"most"`    // maximum of each entry, for the largest length; 0: no specific limit
}

// Source says where the values of fields come from.
type Source struct {
	Fields []string `json:"fields"` // fields of the experiment, as dotted paths
	From   string   `json:"from"`
	Kind   Evidence `json:"kind"`
}

// Evidence says how well a value is known.
type Evidence string

// Values of Evidence.
const (
	Published Evidence = "published" // by those who built or operate the machine
	Measured  Evidence = "measured"  // on the machine, and published
	Derived   Evidence = "derived"   // from published values, by the given calculation
	Assumed   Evidence = "assumed"   // unknown: a value of similar machines
)

// routerDelays are the fields among which the delay of a router is divided, where one source gives
// only their sum.
var routerDelays = []string{
	"network.router.routing", "network.router.vc_allocation", "network.router.switch_allocation",
	"network.router.latency",
}

// infinibandPackets is the source for the packet sizes of all machines with InfiniBand.
var infinibandPackets = Source{
	[]string{"network.packet"}, "InfiniBand's MTU of 4 KiB, with its headers", Published,
}

var registered registry.Of[Description]

// Register adds a machine, which experiments can then name. Lists show machines in ascending order
// of place. Places must differ, and place 0 comes last. Call Register at the start of the program.
// It panics if the name or the place is taken.
func Register(place int, d Description) struct{} {
	registered.Add(place, d, d.Name)
	return struct{}{}
}

// All returns the registered machines.
func All() []*Description { return registered.All() }

// Names returns the names of the registered machines.
func Names() []string { return registered.Names() }

// Find returns the machine with the given name, or nil if there is none.
func Find(name string) *Description { return registered.Find(name) }

// Check describes what a shape should be, or returns "" if the shape is valid.
func (s *Shape) Check(shape []int) (expected string) {
	if !slices.Contains(s.Lengths, len(shape)) {
		return s.lengths() + ": " + s.Means
	}
	for i, n := range shape {
		most := 0
		if len(shape) == len(s.Most) {
			most = s.Most[i]
		}
		switch {
		case n < 1:
			return "numbers of at least 1: " + s.Means
		case most > 0 && n > most:
			return fmt.Sprintf("at most %d for number %d: %s", most, i+1, s.Means)
		}
	}
	return ""
}

func (s *Shape) lengths() string {
	words := make([]string, len(s.Lengths))
	for i, n := range s.Lengths {
		words[i] = fmt.Sprint(n)
	}
	last := len(words) - 1
	text := words[last]
	if last > 0 {
		text = strings.Join(words[:last], ", ") + " or " + text
	}
	if text == "1" {
		return "one number"
	}
	return text + " numbers"
}

// YAML returns the settings and the topology for a shape as an experiment without a program. The
// shape must pass Shape.Check; nil means the whole machine.
func (d *Description) YAML(shape []int) string {
	if shape == nil {
		shape = d.Shape.Default
	}
	topology := "network:\n  topology: " + d.Topology(shape) + "\n"
	text := strings.Replace(d.Settings, "network:\n", topology, 1)
	if d.Mapping != nil && d.Mapping(shape) != "" {
		text += "mapping: " + d.Mapping(shape) + "\n"
	}
	return text
}

// flow formats numbers as a list in YAML flow style.
func flow(numbers ...int) string {
	return strings.ReplaceAll(fmt.Sprint(numbers), " ", ", ")
}
