package routing_test

import (
	"testing"

	"fabricast/topology"
)

// TestDFSSSPIsBalanced: on a full tree, every link up from a leaf carries the same number of paths, and one
// layer is enough.
func TestDFSSSPIsBalanced(t *testing.T) {
	c := combination{name: "dfsssp", spec: topology.XGFTSpec{M: []int{4, 4}, W: []int{1, 4}}, make: dfsssp}
	net, a := c.build(t, 1)
	g := net.Graph()
	w := &walker{t: t, name: "dfsssp", graph: g, algorithm: a, vcs: 1}
	paths := map[int32]int{} // by port of a leaf
	for src := range int32(g.Hosts) {
		for dst := range int32(g.Hosts) {
			routers, steps := w.walk(src, dst)
			if len(routers) > 1 {
				paths[g.PortBase[routers[0]]+int32(steps[0].Port)]++
			}
		}
	}
	if len(paths) != 16 {
		t.Errorf("%d links up are used, want 16", len(paths))
	}
	for port, n := range paths {
		if n != 4*12/4 {
			t.Errorf("port %d carries %d paths, want 12", port, n)
		}
	}
}
