package traffic_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"fabricast/fabric"
	"fabricast/traffic"
)

// TestOldestFirstIsFair checks age-based arbitration: all hosts send to one host the same load,
// more than it can receive in total. Each must get the same share of the accepted load, at any
// distance.
//
// Buffers are FIFOs. Therefore this holds only if flows that share an input VC stay together up to
// the destination (see together). Otherwise the oldest packet may be behind a younger packet for
// another output, which waits for credits, while younger packets from other inputs use the output.
// For example, on a torus of 4x2 routers with 2 VCs and destination host 3, hosts 4 and 5 share the
// link to router 7 and separate there: each gets 0.058 instead of 0.125. Of the packets that leave
// router 7 before an older packet of these hosts, 70 % do so while the older packet is behind a
// packet for the other output, 20 % already own the output VC, and 10 % leave before the older
// packet arrives.
func TestOldestFirstIsFair(t *testing.T) {
	if testing.Short() {
		t.Skip("long, of one worker")
	}
	cases := sharedWays(t)
	rapid.Check(t, func(r *rapid.T) {
		c := rapid.SampledFrom(cases).Draw(r, "network")
		spec, top := network(t, c.vcs, c.wrap, c.dims...)
		spec.Router.Arbiter = fabric.Age
		hosts := spec.Graph.Hosts
		p, err := traffic.New(
			traffic.Spec{Name: "hot-spot", Hosts: []int32{c.hot}, Share: traffic.LoadUnit}, top,
		)
		if err != nil {
			t.Fatal(err)
		}
		l := load(t, "uniform", top, rapid.Float64Range(1.5/float64(hosts), 0.9).Draw(r, "load"))
		l.Pattern, l.Seed = p, rapid.Uint64().Draw(r, "seed")
		l.Arrivals.Process = rapid.SampledFrom([]traffic.Process{traffic.Bernoulli, traffic.Poisson}).Draw(r, "process")
		// the generated loads of hosts vary randomly, so about 1,000 messages of each are measured
		o := measureAs(t, spec, l, 1, traffic.Measure{Precision: 0.05, Tolerance: 0.01, Bin: 500_000})
		if share := 1 / float64(hosts); o.SentMin < 0.88*share || o.SentMax > 1.12*share {
			r.Errorf("hosts send %.4f to %.4f, not %.4f each", o.SentMin, o.SentMax, share)
		}
	})
}

// hotSpot is a network with a host to which all other hosts send.
type hotSpot struct {
	dims []int
	wrap bool
	vcs  int
	hot  int32
}

func (h hotSpot) String() string {
	return fmt.Sprintf("%v, rings %t, %d VCs, all to %d", h.dims, h.wrap, h.vcs, h.hot)
}

// sharedWays returns meshes and tori with a host toward which flows that share an input VC stay
// together.
func sharedWays(t *testing.T) (list []hotSpot) {
	rings := 0
	for _, wrap := range []bool{false, true} {
		for _, dims := range [][]int{{4}, {7}, {8}, {3, 3}, {4, 2}} {
			for vcs := range 4 {
				if wrap && vcs == 0 {
					continue
				}
				spec, _ := network(t, vcs+1, wrap, dims...)
				for hot := range int32(spec.Graph.Hosts) {
					if together(spec, hot) {
						list = append(list, hotSpot{dims, wrap, vcs + 1, hot})
						if wrap {
							rings++
						}
					}
				}
			}
		}
	}
	if rings == 0 || rings == len(list) {
		t.Fatalf("%d of %d networks are tori", rings, len(list))
	}
	return list
}

// together reports whether all packets to host hot that enter a router in the same input VC also
// leave the router in the same output VC.
func together(spec fabric.Spec, hot int32) bool {
	type channel struct {
		port int32
		vc   uint16
	}
	g, function := spec.Graph, spec.Routing
	ways := map[channel]channel{}
	for src := range int32(g.Hosts) {
		header, entry := function.Start(src, hot)
		for in := (channel{g.NICPort[src], uint16(entry)}); ; {
			router := g.Ports[in.port].Router
			port, vc, next := function.Next(router, header)
			out := channel{g.PortBase[router] + int32(port), vc}
			if known, ok := ways[in]; ok && known != out {
				return false
			}
			ways[in] = out
			if out.port == g.NICPort[hot] {
				break
			}
			in, header = channel{g.Ports[out.port].Peer, vc}, next
		}
	}
	return true
}
