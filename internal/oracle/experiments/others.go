package experiments

import (
	"slices"

	"github.com/goccy/go-yaml"

	"fabricast/routing"
	"fabricast/topology"
)

// Topologies and routing algorithms that the lists of this package do not have are drawn by the
// examples with which they describe themselves, so that a new one is compared with the oracle as
// soon as it is registered.
func init() {
	for _, k := range topology.Kinds() {
		if known := Kinds(); slices.Contains(known, k.Name) || len(k.Examples) == 0 {
			continue
		}
		options := k.New()
		if err := yaml.Unmarshal([]byte("{"+k.Examples[0]+"}"), options); err != nil {
			panic("the example of " + k.Name + ": " + err.Error())
		}
		networks = append(networks, k.Spec(options))
	}
	for _, k := range routing.Kinds() {
		if slices.Contains(Routings(), k.Name) || len(k.Examples) == 0 {
			continue
		}
		algorithms = append(algorithms, algorithm{k.Name, exampleOf(k, k.Examples[0])})
	}
}

// exampleOf makes an algorithm with the options of an example.
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
