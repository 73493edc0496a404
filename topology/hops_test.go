package topology_test

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fabricast/topology"
)

// TestHopsAreThoseOfASearch: distances of all routers, whatever the topology.
func TestHopsAreThoseOfASearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.SampledFrom([]func(*rapid.T) drawn{drawIrregular, drawTorus, drawXGFT, drawSlimFly, drawHierarchy}).
			Draw(t, "kind")
		d := draw(t)
		g := d.Graph()
		if g.Routers > 2000 {
			t.Skip("large")
		}
		hops, err := g.Hops()
		if err != nil {
			t.Fatal(err)
		}
		a := rapid.IntRange(0, g.Routers-1).Draw(t, "router")
		for b, want := range search(g, a) {
			if got := hops.Between(int32(a), int32(b)); got != want {
				t.Fatalf(
					"%+v: routers %d and %d are %d links apart, a search finds %d",
					d.spec, a, b, got, want,
				)
			}
		}
	})
}

// TestHopsOfTwoParts: a network in two parts has no distances.
func TestHopsOfTwoParts(t *testing.T) {
	net, err := topology.NewIrregular(topology.IrregularSpec{
		Names: []string{"a", "b", "c", "d"},
		Hosts: []int{1, 1, 1, 1}, Edges: []topology.Edge{{A: 0, B: 2}, {A: 1, B: 3}},
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, err = net.Graph().Hops()
	var parted *topology.DisconnectedError
	if !errors.As(err, &parted) || parted.Router != 1 || parted.Reached != 2 {
		t.Error(err)
	}
}

// TestSlimFlyNearer: the ports by which shortest ways lead on are those to neighbours that are
// nearer.
func TestSlimFlyNearer(t *testing.T) {
	for _, q := range []int{3, 4, 5, 7, 8, 9, 11} {
		f, err := topology.NewSlimFly(topology.SlimFlySpec{Q: q, Hosts: 1}, 1)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Graph()
		for a := range g.Routers {
			for b := range g.Routers {
				if a == b {
					continue
				}
				var want []uint16
				for p := g.PortBase[a]; p < g.PortBase[a+1]; p++ {
					if r := g.PeerRouter(int(p)); r >= 0 && f.Hops(r, b) < f.Hops(a, b) {
						want = append(want, uint16(p-g.PortBase[a]))
					}
				}
				if got := f.Nearer(a, b, nil); !slices.Equal(got, want) {
					t.Fatalf(
						"q %d: from %s to %s by ports %d, a search finds %d",
						q, f.RouterName(a), f.RouterName(b), got, want,
					)
				}
			}
		}
	}
}

// TestSlimFlyWays compares the tables with the arithmetic, on fields of all kinds of orders.
func TestSlimFlyWays(t *testing.T) {
	for _, q := range []int{3, 4, 5, 7, 8, 9, 11, 13, 16} {
		f, err := topology.NewSlimFly(topology.SlimFlySpec{Q: q, Hosts: 1}, 1)
		if err != nil {
			t.Fatal(err)
		}
		ways := f.Ways()
		for a := range f.Graph().Routers {
			for b := range f.Graph().Routers {
				if a == b {
					continue
				}
				w := ways.Between(int32(a), int32(b))
				got := w.Over
				if len(got) == 0 {
					got = append(got, w.One)
					if w.Two != topology.NoPort {
						got = append(got, w.Two)
					}
				}
				want := f.Nearer(a, b, nil)
				if !slices.Equal(got, want) || int(w.Hops) != f.Hops(a, b) {
					t.Fatalf(
						"q %d: from %s to %s by ports %d in %d hops, expected %d in %d",
						q, f.RouterName(a), f.RouterName(b), got, w.Hops, want, f.Hops(a, b),
					)
				}
			}
		}
	}
}
