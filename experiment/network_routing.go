package experiment

import (
	"fmt"
	"strings"

	"fabricast/internal/option"
	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// AlgorithmFor creates the configured routing algorithm for t, with vcs virtual channels per port.
// It returns an error if the algorithm does not support t.
func (n *Network) AlgorithmFor(t topology.Topology, vcs int) (routing.Algorithm, error) {
	if own, ok := n.Routing.(routing.Own); ok {
		return own(t, vcs)
	}
	return routing.KindOf(n.Routing).Make(cloned(n.Routing), routing.Network{
		Topology: t, VCs: vcs,
		CycleFree: func(a routing.Algorithm) bool { return cycleFree(t.Graph(), a, vcs) },
	})
}

// RoutingMemory returns the memory, in bytes, that the tables of the routing algorithm take.
func (n *Network) RoutingMemory(t topology.Topology) int64 {
	if k := routing.KindOf(n.Routing); k != nil {
		return k.Memory(cloned(n.Routing), t)
	}
	return 0
}

// RoutingFile returns the path of the file that contains routes, or "" if there is none.
func (n *Network) RoutingFile() string {
	for _, file := range n.routingFiles() {
		return file.path
	}
	return ""
}

// Alike returns the families of networks in which a small network can represent a large one in the
// deadlock check.
func (n *Network) Alike() []topology.Family {
	if k := routing.KindOf(n.Routing); k != nil {
		return k.Alike(cloned(n.Routing))
	}
	return nil
}

// cycleFree reports whether the deadlock check finds no cycle of waiting packets. It first checks a
// part of the routes, because most cycles appear there.
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

// routing fills in the algorithm, which depends on the kind of network, and the defaults of its
// options.
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

// routingForm returns the routing in its form in files. It contains the options that the file set
// and, if the experiment is resolved, those that are always shown.
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
