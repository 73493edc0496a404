package producttest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/routing"
	"fabricast/topology"
)

// Small returns small networks of a kind, as YAML: the examples in the kind's description. @ stands
// for a folder with the files that Files writes.
func Small(kind string) (list []string) {
	for _, options := range topology.FindKind(kind).Examples {
		list = append(list, "{kind: "+kind+", "+options+"}")
	}
	return list
}

// Files writes the files of small networks, and returns their folder.
func Files(t testing.TB) (folder string) {
	t.Helper()
	folder = t.TempDir()
	const edges = "router a 2\nrouter b 0\nrouter c 3\nrouter d 0\nrouter e 4\nrouter f 0\nrouter g 2\n" +
		"a b\nb c\nc d\nd e\ne a 4GB/s 300ns\ne f\nf g\ng b\nb d\nb d\n"
	const ring = "router a 0\nrouter b 0\nrouter c 0\nrouter d 0\na b\nb c\nc d\nd a\na c\n"
	const rates = "router a\nrouter b\nrouter c 1\nhost m/x a 5GB/s\nhost n/x a 10GB/s\nhost n/z a 5GB/s\n" +
		"host m/y b 10GB/s 50ns\nhost n/y b 5GB/s\na c\nb c\nb c\n"
	for name, text := range map[string]string{"odd.edges": edges, "ring.edges": ring, "two-rates.edges": rates} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// EachNetwork calls f for small networks of every kind, and fails for a kind without one.
func EachNetwork(t *testing.T, f func(t *testing.T, network string)) {
	folder := Files(t)
	for _, kind := range topology.KindNames() {
		if len(Small(kind)) == 0 {
			t.Errorf("there is no small network of kind %s to test with", kind)
		}
		for i, network := range Small(kind) {
			t.Run(fmt.Sprint(kind, i), func(t *testing.T) { f(t, strings.ReplaceAll(network, "@", folder)) })
		}
	}
}

// EachRouting calls f with every algorithm that supports a network, with some of its options. It
// fails for an algorithm without options to draw from.
func EachRouting(t *testing.T, d *rand.Rand, network string, f func(routing string)) {
	t.Helper()
	built := topologyOf(t, network)
	for _, k := range routing.Kinds() {
		options := k.Examples
		if len(options) == 0 {
			t.Errorf("there are no options of routing %s to test with", k.Name)
			continue
		}
		if !k.Fits(built) || k.Name == experiment.RoutingZone && !zoned(built) {
			continue
		}
		text := options[d.IntN(len(options))]
		if strings.Contains(text, "$") {
			text = strings.ReplaceAll(text, "$", TreeTable(t, built.Graph()))
		}
		f(strings.TrimSuffix("{algorithm: "+k.Name+", "+text, ", ") + "}")
	}
}

// Hosts counts the hosts of a network given as YAML.
func Hosts(t *testing.T, network string) int { return topologyOf(t, network).Graph().Hosts }

func topologyOf(t *testing.T, network string) topology.Topology {
	t.Helper()
	e, err := fabricast.Parse("network.yaml", "network: {topology: "+network+"}\nworkload: {program: barrier}")
	if err != nil {
		t.Fatal(err)
	}
	layout, err := e.Layout()
	if err != nil {
		t.Fatal(err)
	}
	return layout.Topology
}

// TreeTable writes forwarding tables along a spanning tree, which are free of deadlock on any
// network.
func TreeTable(t *testing.T, g *topology.Graph) string {
	t.Helper()
	parent := make([]int32, g.Routers) // for each router, its port to its parent; -1: none
	for r := range parent {
		parent[r] = -1
	}
	order, seen := []int{0}, make([]bool, g.Routers)
	seen[0] = true
	for i := 0; i < len(order); i++ {
		for p := g.PortBase[order[i]]; p < g.PortBase[order[i]+1]; p++ {
			if n := g.PeerRouter(int(p)); n >= 0 && !seen[n] {
				seen[n], parent[n] = true, g.Ports[p].Peer
				order = append(order, n)
			}
		}
	}
	var lines strings.Builder
	for host := range g.Hosts {
		down := map[int]int32{} // for each router above the host, its port toward the host
		for r := g.HostRouter(host); parent[r] >= 0; r = g.PeerRouter(int(parent[r])) {
			down[g.PeerRouter(int(parent[r]))] = g.Ports[parent[r]].Peer
		}
		for r := range g.Routers {
			port, below := down[r]
			if !below {
				port = parent[r]
			}
			if r != g.HostRouter(host) {
				fmt.Fprintf(&lines, "%d %d %d\n", r, host, port-g.PortBase[r])
			}
		}
	}
	name := filepath.Join(t.TempDir(), "tree.table")
	if err := os.WriteFile(name, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// zoned reports whether zone routing supports a network. For hierarchies, its own Fits does not
// check this.
func zoned(t topology.Topology) bool {
	_, err := routing.NewZone(t, routing.MaxVCs)
	return err == nil
}
