package experiment

import (
	"reflect"

	"fabricast/internal/config"
	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// Routing algorithms describe themselves in package routing: names, options, the networks they fit,
// and checks. The functions below find an algorithm by its name in an experiment, and convert the
// fields of Routing to the algorithm's options.

// Kind returns the algorithm; nil if it is a user's own, or unknown.
func (r *Routing) Kind() *routing.Kind {
	if r.Custom != nil {
		return nil
	}
	return routing.FindKind(r.Algorithm)
}

// options returns the algorithm's options in its own type.
func (r *Routing) options(k *routing.Kind) any {
	options := k.New()
	gather(options, k.Options, r, r.further(k))
	return options
}

// further returns the further options if they belong to the algorithm; else nil.
func (r *Routing) further(k *routing.Kind) any {
	if r.Options == nil ||
		reflect.Indirect(reflect.ValueOf(r.Options)).Type() != reflect.TypeOf(k.New()).Elem() {
		return nil
	}
	return r.Options
}

// Further returns the options of the algorithm, for fields that the form does not have.
func (r *Routing) Further(text func(field string) string) any {
	k := routing.FindKind(text("algorithm"))
	if k == nil || further(reflect.TypeFor[Routing](), k.Options) == nil {
		return nil
	}
	r.Options = k.New()
	return r.Options
}

// MarshalYAML returns the form with its further options beside the fields.
func (r Routing) MarshalYAML() (any, error) {
	type form Routing
	k := r.Kind()
	if r.Options == nil || k == nil {
		return form(r), nil
	}
	return joined(form(r), k.Options, r.Options, nil)
}

// Make creates the algorithm for a network that it fits.
func (r *Routing) Make(t topology.Topology, vcs int) (routing.Algorithm, error) {
	if r.Custom != nil {
		return r.Custom(t, vcs)
	}
	k := r.Kind()
	return k.Make(r.options(k), routing.Network{
		Topology: t, VCs: vcs,
		CycleFree: func(a routing.Algorithm) bool { return cycleFree(t.Graph(), a, vcs) },
	})
}

// Memory returns how much memory the algorithm's tables take (bytes).
func (r *Routing) Memory(t topology.Topology) int64 {
	k := r.Kind()
	if k == nil {
		return 0
	}
	return k.Memory(r.options(k), t)
}

// Alike returns the families of networks on which a small network is checked for deadlock in place
// of a large one.
func (r *Routing) Alike() []topology.Family {
	k := r.Kind()
	if k == nil {
		return nil
	}
	return k.Alike(r.options(k))
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
	r := &n.Routing
	algorithm := RoutingDOR
	if k := n.Topology.kind(); k != nil {
		algorithm = DefaultRouting(k.Name)
	} else if n.Topology.Custom != nil {
		algorithm = RoutingShortest
	}
	if r.Custom == nil {
		f.e.routingOpen = f.e.routingOpen ||
			algorithm == RoutingShortest && reflect.ValueOf(*r).IsZero() &&
				!f.e.positions.Has("network.routing")
		give(f, "network.routing.algorithm", &r.Algorithm, algorithm)
	}
	k := r.Kind()
	if k == nil {
		return
	}
	unalias(k.Options, r)
	if r.further(k) != nil {
		r.Options = cloned(r.Options) // the caller's stay as they are
	}
	f.fill("network.routing", n.Topology.Kind, k.Options, r, r.further(k))
}

// routing checks the algorithm's name and options.
func (v *validator) routing() {
	r := &v.e.Network.Routing
	const path = "network.routing"
	if r.Custom != nil {
		v.demand(r.Algorithm == "", path+".algorithm", r.Algorithm, "nothing beside an algorithm of your own")
		return
	}
	k := r.Kind()
	if k == nil {
		v.choice(path+".algorithm", r.Algorithm, routing.KindNames()...)
		return
	}
	expected := "no options"
	if len(k.Options) > 0 {
		expected = config.OneOf(namesOf(k.Options))
	}
	v.foreign(path, r, "algorithm", "an option that "+k.Name+" does not have", expected, k.Options)
	if r.Options != nil &&
		v.demand(r.further(k) != nil, path, reflect.TypeOf(r.Options), "options of "+k.Name) {
		v.twice(path, k.Options, r, r.Options)
	}
	v.texts(path, k.Options, r)
	for _, m := range k.Check(r.options(k)) {
		v.mistake(path, m)
	}
}
