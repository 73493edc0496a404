package networks

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/mpi"
)

// TestNoFlowExceedsItsNarrowestLink sends many messages from one host to another over networks of
// every kind, with links of every class unlike: in every model of networks that have links, the
// narrowest link on their route takes its time for all of their bytes.
func TestNoFlowExceedsItsNarrowestLink(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, e := drawUnlikeLinks(t)
		from, to := rapid.IntRange(0, e.Ranks-1).Draw(t, "from"), rapid.IntRange(0, e.Ranks-2).Draw(t, "to")
		if to >= from {
			to++
		}
		l, err := e.Layout()
		if err != nil {
			t.Fatal(err)
		}
		routes, err := l.Routes(from, to)
		if err != nil || len(routes) != 1 {
			t.Fatal(len(routes), "routes;", err)
		}
		nics := rapid.IntRange(1, 3).Draw(t, "NICs")
		g := l.Topology.Graph()
		narrowest := l.Links[g.Ports[g.NICPort[from]].Link].Bandwidth * fabricast.Rate(nics)
		for _, hop := range routes[0].Hops {
			port := &g.Ports[int(g.PortBase[hop.Router])+hop.Port]
			rate := min(l.Links[port.Link].Bandwidth, e.Network.Router.Bandwidth)
			if port.NIC >= 0 {
				rate *= fabricast.Rate(nics)
			}
			narrowest = min(narrowest, rate)
		}
		e.Node.NICs, e.Node.DMA, e.Node.Overhead = nics, 200*fabricast.GBPerSecond, 1
		size, messages := rapid.IntRange(1, 5000).Draw(t, "size"), rapid.IntRange(1, 20).Draw(t, "messages")
		e.Workload = experiment.Workload{}
		e.Program = func(r *mpi.Rank) {
			var open []mpi.Request
			for range messages {
				switch r.Rank() {
				case from:
					open = append(open, r.Isend(mpi.Size(size), to, 0))
				case to:
					open = append(open, r.Irecv(mpi.Size(size), from, 0))
				}
			}
			r.WaitAll(open)
		}
		wire := float64(messages*((size+15)/16*16)) / float64(narrowest) * 1e12
		for _, model := range []string{experiment.ModelPacket, experiment.ModelContentionFree} {
			e.Network.Model = model
			r, err := e.Run(context.Background(), fabricast.Workers(1))
			if err != nil {
				t.Fatal(err)
			}
			// each message may end up to 1 ps early, as times are rounded down
			if time := float64(r.SimulatedTime); time < wire-float64(messages) {
				t.Fatalf("%s: %s: %d messages of %d bytes from host %d to host %d took %.0f ps; the "+
					"narrowest link of %s needs %.0f", text, model, messages, size, from, to, time, narrowest, wire)
			}
		}
	})
}
