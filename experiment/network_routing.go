package experiment

import (
	"fmt"
	"strings"

	"fabricast/internal/option"
	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// AlgorithmFor creates the routing algorithm for a topology that it fits, with a number of virtual
// channels of a port.
func (n *Network) AlgorithmFor(t topology.Topology, vcs int) (routing.Algorithm, error) {
	if own, ok := n.Routing.(routing.Own); ok {
		return own(t, vcs)
	}
	return routing.KindOf(n.Routing).Make(cloned(n.Routing), routing.Network{
		Topology: t, VCs: vcs,
		CycleFree: func(a routing.Algorithm) bool { return cycleFree(t.Graph(), a, vcs) },
	})
}

// RoutingMemory returns how much memory the routing algorithm's tables take (bytes).
func (n *Network) RoutingMemory(t topology.Topology) int64 {
	if k := routing.KindOf(n.Routing); k != nil {
		return k.Memory(cloned(n.Routing), t)
	}
	return 0
}

// RoutingFile returns the path of the file that holds routes; empty if none does.
func (n *Network) RoutingFile() string {
	for _, file := range n.routingFiles() {
		return file.path
	}
	return ""
}

// Alike returns the families of networks on which a small network is checked for deadlock in place
// of a large one.
func (n *Network) Alike() []topology.Family {
	if k := routing.KindOf(n.Routing); k != nil {
		return k.Alike(cloned(n.Routing))
	}
	return nil
}

// cycleFree reports whether no cycle of waiting packets is found. Part of the routes is checked
// first, because most cycles show there.
func cycleFree(g *topology.Graph, algorithm routing.Algorithm, vcs int) bool {
	for _, steps := range []int64{deadlock.DefaultSteps / 16, deadlock.DefaultSteps} {
		report, err := deadlock.Check(g, algorithm, deadlock.Options{VCs: vcs, Steps: steps})
		if err != nil || report.Skipped != "" {
			return false
		}
		if report.Whole() {
			return true
		}
	}
	return true
}

// routing fills in the algorithm, by the kind of network, and those of its options that are shown.
func (f filler) routing(n *Network) {
	const path = "network.routing"
	if n.Routing == nil {
		usual := RoutingDOR
		switch kind := n.Kind(); {
		case kind != "":
			usual = DefaultRouting(kind)
		case n.Topology != nil:
			usual = RoutingShortest
		}
		f.e.routingOpen = usual == RoutingShortest && !f.e.positions.Has(path)
		k := routing.FindKind(usual)
		n.Routing = k.Spec(k.New())
		if f.e.defaults != nil {
			f.e.defaults[path+".algorithm"] = usual
		}
	}
	if k := routing.KindOf(n.Routing); k != nil {
		options := cloned(n.Routing)
		f.fill(path, n.Kind(), k.Options, options)
		n.Routing = k.Spec(options)
	}
}

// routing checks the algorithm's options.
func (v *validator) routing() {
	const path = "network.routing"
	r := v.e.Network.Routing
	if own, ok := r.(routing.Own); ok {
		v.demand(own != nil, path, "", "a function that makes an algorithm")
		return
	}
	k := routing.KindOf(r)
	if k == nil {
		v.problem(path, fmt.Sprintf("%T", r), "options of one of "+strings.Join(routing.KindNames(), ", "), "")
		return
	}
	for _, m := range k.Check(cloned(r)) {
		v.mistake(path, m)
	}
}

// routingForm returns the routing as it is written to files: with those options that a file said, and
// of a resolved one with those that are always shown.
func (e *Experiment) routingForm() any {
	k := routing.KindOf(e.Network.Routing)
	if k == nil {
		return struct{}{}
	}
	return optionsYAML("algorithm", k.Name, k.Options, e.Network.Routing, func(o option.Option) bool {
		return e.network != nil && o.FillsOn(e.Network.Kind()) || e.positions.Has("network.routing."+o.Name)
	}, nil)
}

// files lists the fields of the topology and the routing that name files.
func (n *Network) files() (files []fileField) {
	if k := topology.KindOf(n.Topology); k != nil {
		files = filesOf(
			"network.topology", k.Options, func() any { return n.Topology },
			func(options any) { n.Topology = options.(topology.Spec) },
		)
	}
	return append(n.routingFiles(), files...)
}

func (n *Network) routingFiles() []fileField {
	k := routing.KindOf(n.Routing)
	if k == nil {
		return nil
	}
	return filesOf(
		"network.routing", k.Options, func() any { return n.Routing },
		func(options any) { n.Routing = options.(routing.Spec) },
	)
}
