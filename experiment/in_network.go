package experiment

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fabricast/internal/units"
)

// InNetwork says what switches can reduce and copy (docs/collectives.md#in-the-network).
type InNetwork struct {
	// Kind gives the defaults of the fields below: sharp-llt, sharp-sat, nvls or multicast. "": none.
	Kind  string `yaml:"kind,omitempty"`
	Trees int    `yaml:"trees,omitempty"` // in which a switch can take part
	// Slots is the number of segments of a tree that a switch can have under way, and Window that of a
	// collective, in each tree.
	Slots   int         `yaml:"slots,omitempty"`
	Window  int         `yaml:"window,omitempty"`
	Lanes   int         `yaml:"lanes,omitempty"`   // trees of a group
	Payload units.Bytes `yaml:"payload,omitempty"` // largest segment
	// Rate at which a switch takes operands from all ports together. 0: that of all its ports.
	Rate    units.Rate `yaml:"rate,omitempty"`
	Latency units.Time `yaml:"latency,omitempty"` // from the last operand to the result
	Copy    units.Time `yaml:"copy,omitempty"`    // from a result from above to its copies
	// Groups are the communicators that have trees: all, block/N (N ranks each, one after the other) or
	// stride/N (every N-th rank).
	Groups []string `yaml:"groups,omitempty,flow"`
}

// Values of InNetwork.Kind.
const (
	InNetworkLLT       = "sharp-llt"
	InNetworkSAT       = "sharp-sat"
	InNetworkNVLS      = "nvls"
	InNetworkMulticast = "multicast"
)

// inNetworkKind holds the defaults of a kind.
type inNetworkKind struct {
	name string
	InNetwork
}

// inNetworkKinds lists the kinds. docs/collectives.md names the sources.
var inNetworkKinds = []inNetworkKind{
	{InNetworkLLT, InNetwork{
		Trees: 8, Slots: 16, Window: 4, Lanes: 1, Payload: 256,
		Latency: 500 * units.Nanosecond, Copy: 400 * units.Nanosecond,
	}},
	{InNetworkSAT, InNetwork{
		Trees: 1, Slots: 256, Window: 64, Lanes: 1, Payload: 2048,
		Latency: 500 * units.Nanosecond, Copy: 400 * units.Nanosecond,
	}},
	{InNetworkNVLS, InNetwork{
		Trees: 16, Slots: 256, Window: 64, Lanes: 4, Payload: 1024,
		Latency: 100 * units.Nanosecond, Copy: 50 * units.Nanosecond,
	}},
	{InNetworkMulticast, InNetwork{
		Trees: 64, Slots: 256, Window: 64, Lanes: 1, Payload: 2048, Copy: 50 * units.Nanosecond,
	}},
}

func inNetworkNames() (names []string) {
	for _, k := range inNetworkKinds {
		names = append(names, k.name)
	}
	return names
}

// Given reports whether switches reduce or copy.
func (n *InNetwork) Given() bool { return n.Kind != "" || len(n.Groups) > 0 || n.Payload != 0 }

// Reduces reports whether switches reduce, not only copy.
func (n *InNetwork) Reduces() bool { return n.Kind != InNetworkMulticast }

// Group forms of InNetwork.Groups.
const (
	GroupAll    = "all"
	groupBlock  = "block"
	groupStride = "stride"
)

// mostGroups is the largest number of entries of InNetwork.Groups.
const mostGroups = 8

// GroupsOf returns the ranks of each group of an entry of InNetwork.Groups in a program. ok is false if
// the entry is wrong.
func GroupsOf(entry string, ranks int) (groups [][]int32, ok bool) {
	list := func(from, to, step int) {
		var g []int32
		for r := from; r < min(to, ranks); r += step {
			g = append(g, int32(r))
		}
		groups = append(groups, g)
	}
	if entry == GroupAll {
		list(0, ranks, 1)
		return groups, true
	}
	form, number, _ := strings.Cut(entry, "/")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return nil, false
	}
	switch form {
	case groupBlock:
		for from := 0; from < ranks; from += n {
			list(from, from+n, 1)
		}
	case groupStride:
		for from := range min(n, ranks) {
			list(from, ranks, n)
		}
	default:
		return nil, false
	}
	return groups, true
}

func (f filler) inNetwork(n *InNetwork) {
	const path = "network.in_network"
	if !n.Given() && !f.e.positions.Has(path) {
		return
	}
	give(f, path+".kind", &n.Kind, InNetworkSAT)
	i := slices.IndexFunc(inNetworkKinds, func(k inNetworkKind) bool { return k.name == n.Kind })
	if i < 0 {
		return
	}
	d := &inNetworkKinds[i]
	give(f, path+".trees", &n.Trees, d.Trees)
	give(f, path+".slots", &n.Slots, d.Slots)
	give(f, path+".window", &n.Window, min(d.Window, max(1, n.Slots)))
	give(f, path+".lanes", &n.Lanes, d.Lanes)
	give(f, path+".payload", &n.Payload, min(d.Payload, f.e.Network.Packet.MTU-f.e.Network.Packet.Header))
	give(f, path+".latency", &n.Latency, d.Latency)
	give(f, path+".copy", &n.Copy, d.Copy)
	if len(n.Groups) == 0 && !f.e.positions.Has(path+".groups") {
		n.Groups = []string{GroupAll}
	}
}

func (v *validator) inNetwork(packetRight bool) {
	n, path := &v.e.Network.InNetwork, "network.in_network"
	if !n.Given() && !v.e.positions.Has(path) {
		return
	}
	if v.word(path+".kind", n.Kind); !slices.Contains(inNetworkNames(), n.Kind) {
		return // there are no defaults
	}
	v.between(path+".trees", n.Trees, 1, 1024)
	v.between(path+".slots", n.Slots, 1, 4096)
	v.demand(n.Window >= 1 && n.Window <= n.Slots, path+".window", n.Window, fmt.Sprintf("1 to the slots, %d", n.Slots))
	v.demand(
		n.Lanes >= 1 && n.Lanes <= min(8, n.Trees), path+".lanes", n.Lanes,
		fmt.Sprintf("1 to 8, and at most as many as the trees of a switch, %d", n.Trees),
	)
	if packetRight {
		most := v.e.Network.Packet.MTU - v.e.Network.Packet.Header
		v.demand(
			n.Payload >= 1 && n.Payload <= most, path+".payload", n.Payload,
			"a size from 1B to that of a packet without its header, "+most.String(),
		)
	}
	if n.Rate != 0 || v.e.positions.Has(path+".rate") {
		v.rate(path+".rate", n.Rate)
	}
	v.delay(path+".latency", n.Latency)
	v.delay(path+".copy", n.Copy)
	v.demand(
		len(n.Groups) >= 1 && len(n.Groups) <= mostGroups, path+".groups", len(n.Groups),
		fmt.Sprintf("1 to %d entries", mostGroups),
	)
	for i, g := range n.Groups {
		_, ok := GroupsOf(g, 1)
		v.demand(ok, index(path+".groups", i), g, "all, block/N or stride/N, such as block/8")
	}
	v.networkThatReduces(path)
}

// networkThatReduces refuses switches that reduce in networks that have none.
func (v *validator) networkThatReduces(path string) {
	n := &v.e.Network
	found := n.InNetwork.Kind
	v.demand(n.Model == "" || n.Model == ModelPacket, path, found, "none with network.model: "+n.Model)
	v.demand(
		n.Router.Buffers == "" || n.Router.Buffers == BuffersCredits, path, found,
		"none with network.router.buffers: "+n.Router.Buffers,
	)
	v.demand(n.Doors == nil, path, found, "none in a network with doors (Network.Doors)")
	v.demand(!v.e.Faults.Given(), path, found, "none in a network with faults")
	v.demand(
		v.e.Node.NICs <= 1 || v.e.Node.IOBus == IOBus{}, path, found, "none with a node.io_bus that NICs share",
	)
	// the rank whose operand comes last is not known where the result arrives
	v.demand(v.e.Record.Causes == "", "record.causes", v.e.Record.Causes, "none with network.in_network")
	v.demand(
		v.e.Engine.Mode != EngineOptimistic && v.e.Engine.Mode != EngineOptimisticCheck, path, found,
		"none with engine.mode: "+v.e.Engine.Mode,
	)
}
