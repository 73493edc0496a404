package routing_test

import (
	"slices"
	"testing"

	"fabricast/routing"
	"fabricast/topology"
)

// The channels that are alike are consecutive, contain the one that is named, are the same seen
// from each of them, and are among those that the check for deadlock counts.
func TestAlikeChannelsAreAClass(t *testing.T) {
	tried := 0
	for _, c := range combinations {
		network, err := c.spec.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		for vcs := c.least; vcs <= c.least+5; vcs++ {
			made, err := c.make(network, vcs)
			if err != nil {
				t.Fatalf("%s with %d channels: %v", c.name, vcs, err)
			}
			alike, ok := made.(routing.Alike)
			if !ok {
				continue
			}
			tried++
			for vc := range uint16(vcs) {
				first, count := alike.Alike(vc)
				if vc < first || vc >= first+count || int(first+count) > vcs {
					t.Fatalf(
						"%s: of %d channels, %d to %d are as good as %d",
						c.name, vcs, first, first+count-1, vc,
					)
				}
				for other := first; other < first+count; other++ {
					if f, n := alike.Alike(other); f != first || n != count {
						t.Errorf(
							"%s: of %d channels, %d to %d are as good as %d, and %d to %d as %d",
							c.name, vcs, first, first+count-1, vc, f, f+n-1, other,
						)
					}
				}
			}
			checkOutlined(t, c.name, network.Graph(), made, alike)
		}
	}
	if tried == 0 {
		t.Error("no algorithm has channels that are alike")
	}
}

// checkOutlined demands that with a channel of a port, the outline of a route names all that are as
// good.
func checkOutlined(
	t *testing.T,
	name string,
	g *topology.Graph,
	made routing.Algorithm,
	alike routing.Alike,
) {
	t.Helper()
	outliner, ok := made.(routing.Outliner)
	if !ok {
		t.Fatalf("%s gives channels that are alike and does not outline its routes", name)
	}
	for router := range int32(g.Routers) {
		to := int32(g.Routers) - 1 - router
		if router == to || !slices.Contains(g.HostedRouters(), router) ||
			!slices.Contains(g.HostedRouters(), to) {
			continue
		}
		for _, outline := range outliner.OutlineStarts(router, to, nil) {
			named := map[routing.Candidate]bool{}
			steps := outliner.OutlineSteps(router, outline, nil)
			for _, s := range steps {
				named[routing.Candidate{Port: s.Port, VC: s.VC}] = true
			}
			for _, s := range steps {
				first, count := alike.Alike(s.VC)
				for vc := first; vc < first+count; vc++ {
					if !named[routing.Candidate{Port: s.Port, VC: vc}] {
						t.Fatalf(
							"%s: port %d is outlined with channel %d and not with %d",
							name, s.Port, s.VC, vc,
						)
					}
				}
			}
		}
	}
}
