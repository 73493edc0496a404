package routing_test

import (
	"testing"

	"pgregory.net/rapid"

	"fabricast/routing"
	"fabricast/topology"
)

// classAt is the class of a hop in a ring, by what the way has done before it and does after it.
func classAt(d routing.Dateline, crossed, crosses, crossesLater bool) int {
	one := false
	switch d {
	case routing.DatelineBalanced:
		one = crossed || crosses || crossesLater
	case routing.DatelineClassic:
		one = crossed || crosses
	case routing.DatelineAhead:
		one = crosses || crossesLater
	}
	if one {
		return 1
	}
	return 0
}

// Each scheme takes the classes that its definition says, hop by hop, on the way that DOR takes;
// and the channel of entry is what was asked for.
func TestSchemesClassesHopByHop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.SliceOfN(rapid.IntRange(1, 9), 1, 3).Draw(t, "dims")
		wrap := make([]bool, len(dims))
		for i := range wrap {
			wrap[i] = rapid.IntRange(0, 3).Draw(t, "line") > 0
		}
		torus, err := topology.NewTorus(dims, wrap, 1)
		if err != nil {
			t.Fatal(err)
		}
		tie := rapid.SampledFrom([]routing.Tie{routing.TieSplit, routing.TieUp}).Draw(t, "tie")
		scheme := routing.Scheme{
			Dateline: rapid.SampledFrom([]routing.Dateline{routing.DatelineBalanced, routing.DatelineClassic, routing.DatelineAhead}).
				Draw(t, "dateline"),
			Entry: rapid.SampledFrom([]routing.Entry{routing.EntryHop, routing.EntryFirst, routing.EntryAll}).
				Draw(t, "entry"),
		}
		vcs := rapid.IntRange(2, 6).Draw(t, "VCs")
		made, err := routing.NewDORScheme(torus, vcs, tie, 0, routing.ChoiceFlow, scheme)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := routing.NewDOR(torus, vcs, tie)
		if err != nil {
			t.Fatal(err)
		}
		g := torus.Graph()
		if g.Hosts < 2 {
			return
		}
		src := rapid.IntRange(0, g.Hosts-1).Draw(t, "src")
		dst := (src + rapid.IntRange(1, g.Hosts-1).Draw(t, "further")) % g.Hosts
		a := made.(routing.Function)
		ports, channels, entry := walk(g, a, int32(src), int32(dst))
		same, plainChannels, plainEntry := walk(g, plain, int32(src), int32(dst))
		if len(ports) != len(same) {
			t.Fatalf("%d hops, expected %d", len(ports), len(same))
		}
		switch scheme.Entry {
		case routing.EntryHop:
			if entry != int(channels[0]) {
				t.Errorf("enters in %d, the first hop takes %d", entry, channels[0])
			}
			if scheme.Dateline == routing.DatelineBalanced && entry != plainEntry {
				t.Errorf("enters in %d, expected %d", entry, plainEntry)
			}
		case routing.EntryFirst:
			if entry != 0 {
				t.Errorf("enters in %d", entry)
			}
		default:
			if entry >= vcs {
				t.Errorf("enters in %d", entry)
			}
		}
		crossings := crossings(torus, ports, int32(src))
		for i, port := range ports {
			if port != same[i] {
				t.Fatalf("hop %d by port %d, expected %d", i, port, same[i])
			}
			dim := int(port) / 2
			if dim >= len(dims) || !wrap[dim] || torus.Kind() == "mesh" {
				if channels[i] != plainChannels[i] {
					t.Errorf("hop %d on channel %d, expected %d", i, channels[i], plainChannels[i])
				}
				continue
			}
			before, after := false, false
			for j, other := range ports {
				if int(other)/2 == dim && crossings[j] {
					before, after = before || j < i, after || j > i
				}
			}
			want := classAt(scheme.Dateline, before, crossings[i], after)
			if got := classOf(channels[i], vcs); got != want {
				t.Errorf(
					"hop %d of ports %d on channel %d, class %d, expected class %d",
					i, ports, channels[i], got, want,
				)
			}
		}
	})
}

// classOf is the class of a channel, of which the first half, rounded up, is class 0.
func classOf(channel uint16, vcs int) int {
	if int(channel) >= (vcs+1)/2 {
		return 1
	}
	return 0
}

// walk lists the ports and channels of a route, the way out included.
func walk(g *topology.Graph, a routing.Function, src, dst int32) (ports, channels []uint16, entry int) {
	header, first := a.Start(src, dst)
	router := g.Ports[g.NICPort[src]].Router
	for range 1000 {
		port, vc, next := a.Next(router, header)
		ports, channels, header = append(ports, port), append(channels, vc), next
		out := &g.Ports[g.PortBase[router]+int32(port)]
		if out.NIC == dst {
			break
		}
		router = g.Ports[out.Peer].Router
	}
	return ports, channels, int(first)
}

// crossings tells for each hop of a route whether it is the wrap-around link of its ring.
func crossings(t *topology.Torus, ports []uint16, router int32) []bool {
	list := make([]bool, len(ports))
	g := t.Graph()
	for i, port := range ports {
		peer := g.Ports[g.PortBase[router]+int32(port)].Peer
		if peer == topology.Unconnected {
			break
		}
		to := g.Ports[peer].Router
		dim, stride := int(port)/2, int32(1)
		for _, k := range t.Dims()[:dim] {
			stride *= int32(k)
		}
		k := int32(t.Dims()[dim])
		from, into := router/stride%k, to/stride%k
		list[i] = t.Wraps(dim) && (port%2 == 0 && into < from || port%2 == 1 && into > from)
		router = to
	}
	return list
}
