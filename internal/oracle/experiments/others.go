package experiments

import (
	"slices"

	"github.com/goccy/go-yaml"

	"fabricast/routing"
	"fabricast/topology"
)

// Topologies and routing algorithms that are not in the lists of this package are drawn too, with
// the examples in their descriptions. A new one is thus compared with the oracle as soon as it is
// registered. Source routing is drawn with every algorithm whose routes it can use.
func init() {
	source := routing.FindKind("source")
	for _, of := range new(routing.SourceOf).Words() {
		algorithms = append(algorithms, algorithm{"source of " + of, exampleOf(source, "of: "+of)})
	}
	for _, k := range topology.Kinds() {
		if known := Kinds(); slices.Contains(known, k.Name) || len(k.Examples) == 0 {
			continue
		}
		networks = append(networks, specOf(k, k.Examples[0]))
	}
	for _, k := range routing.Kinds() {
		if slices.Contains(Routings(), k.Name) || len(k.Examples) == 0 {
			continue
		}
		algorithms = append(algorithms, algorithm{k.Name, exampleOf(k, k.Examples[0])})
	}
}

// specOf returns the topology of an example. Fields that the example does not set have their
// defaults.
func specOf(k *topology.Kind, example string) topology.Spec {
	options := k.New()
	if err := yaml.Unmarshal([]byte("{"+example+"}"), options); err != nil {
		panic("the example of " + k.Name + ": " + err.Error())
	}
	k.Default(options, false)
	return k.Spec(options)
}

// exampleOf returns a maker of a routing algorithm with the options of an example.
func exampleOf(
	k *routing.Kind,
	example string,
) func(topology.Topology, int, *Shape) (routing.Algorithm, error) {
	return func(t topology.Topology, vcs int, _ *Shape) (routing.Algorithm, error) {
		if !k.Fits(t) {
			return nil, errUnfit
		}
		options := k.New()
		if err := yaml.Unmarshal([]byte("{"+example+"}"), options); err != nil {
			return nil, err
		}
		return k.Make(options, routing.Network{Topology: t, VCs: vcs})
	}
}
