package networks

import (
	"context"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/routing"
	"fabricast/topology"
)

// slowFlow reads the share of a link that a flow gets out of the note; 1 if there is none.
func slowFlow(notes []string) float64 {
	for _, n := range notes {
		if m := regexp.MustCompile(`a flow keeps to one VC.* at most ([0-9.]+) % of what`).FindStringSubmatch(n); m != nil {
			v, _ := strconv.ParseFloat(m[1], 64)
			return v / 100
		}
	}
	return 1
}

// TestFlowNote: neighbours on a torus, each link with a single flow, accept what the note says, for
// links, routers and buffers drawn at random, and there is none where they accept all that is
// offered.
func TestFlowNote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := func(low, high int, name string) int { return rapid.IntRange(low, high).Draw(t, name) }
		e := fabricast.Experiment{
			Network: experiment.Network{
				Topology: topology.TorusSpec{Dims: []int{4}},
				Link: experiment.Link{
					Bandwidth: fabricast.Rate(n(4, 16, "bandwidth")) * 1_000_000_000,
					Latency:   fabricast.Time(n(1, 40, "latency")) * fabricast.Nanosecond,
				},
				Router: experiment.Router{
					VCs:     4,
					Latency: fabricast.Time(n(1, 60, "router")) * fabricast.Nanosecond,
					Buffer:  fabricast.Bytes(n(1, 8, "packets") * 128),
				},
				Packet: experiment.Packet{MTU: 128, Flit: 16},
			},
			Node: experiment.Node{DMA: 1e15},
			Traffic: experiment.Traffic{
				Pattern: experiment.Pattern{Name: "neighbour"},
				Load:    fabricast.Whole,
				Measure: experiment.Measure{Precision: 5 * fabricast.Percent},
			},
		}
		e.Network.HostLink = experiment.Link{Bandwidth: e.Network.Link.Bandwidth, Latency: 1}
		p, err := e.Preview()
		if err != nil {
			t.Fatal(err)
		}
		want := slowFlow([]string{p.Flow})
		r, err := e.Run(context.Background(), fabricast.Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		if got := slowFlow(r.Notes); got != want {
			t.Fatalf("the result's note says %v, check's %v", got, want)
		}
		// Other buffers may be less than the round trip too, that of the last router up to memory
		// not.
		if math.Abs(r.Traffic.Accepted.Mean-want) > 0.04 {
			t.Fatalf("%.3f is accepted, the note says %.3f: %v", r.Traffic.Accepted.Mean, want, r.Notes)
		}
		e.Network.Routing = routing.DOROptions{Choice: routing.ChoicePacket}
		if p, err = e.Preview(); err != nil || p.Flow != "" {
			t.Fatalf("channels drawn for each packet: %v, %q", err, p.Flow)
		}
	})
}

// TestFlowNoteOfMessages: messages that fit the buffer are not slowed, and without a choice none is
// named.
func TestFlowNoteOfMessages(t *testing.T) {
	e := fabricast.Experiment{
		Network: experiment.Network{
			Topology: topology.KaryTreeSpec{K: 2, N: 2},
			Router:   experiment.Router{VCs: 2, Buffer: 512},
			Packet:   experiment.Packet{MTU: 256},
		},
		Workload: experiment.Workload{Program: "ring", Size: 512},
	}
	for size, slowed := range map[fabricast.Bytes]bool{512: false, 1 << 20: true} {
		e.Workload.Size = size
		p, err := e.Preview()
		if err != nil {
			t.Fatal(err)
		}
		if (p.Flow != "") != slowed || strings.Contains(p.Flow, "choice") {
			t.Errorf("messages of %v: %q", size, p.Flow)
		}
	}
}
