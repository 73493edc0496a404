package nodes

import (
	"strings"
	"testing"

	"fabricast"
)

// A NIC that takes turns finishes a short message before a long one that was posted earlier, and
// both together when it would have finished them one after the other.
func TestNICsTakeTurns(t *testing.T) {
	run := func(order string) fabricast.Time {
		t.Helper()
		e, err := fabricast.Parse(
			"turns.yaml",
			"network: {topology: {dims: [3]}}\nnode: {nic_order: "+order+"}\nworkload: {program: halo2d, grid: [3, 1], size: 100KiB}\n",
		)
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Run(t.Context(), fabricast.Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		return r.Latency.Mean
	}
	// Two messages of n bytes: one after the other they take n and 2n, in turns 2n each.
	fifo, turns := run("fifo"), run("round-robin")
	if ratio := float64(turns) / float64(fifo); ratio < 1.3 || ratio > 1.36 {
		t.Errorf("mean latency %s in turns, %s one after the other: %.3f, expected 4/3", turns, fifo, ratio)
	}
}

// A gap of all NICs holds for traffic, which cannot inject more than 1/(1 + gap) of the time.
func TestGapOfTraffic(t *testing.T) {
	for gap, want := range map[string]float64{"0": 0.9, "0.25": 0.8, "1": 0.5, "300%": 0.25} {
		e, err := fabricast.Parse(
			"gap.yaml",
			"network: {topology: {kind: fully-connected, routers: 1, hosts: 8}, router: {queues: voq, vcs: 1, buffer: 64KiB}}\n"+
				"node: {dma: 100GB/s, gap: "+gap+"}\ntraffic: {pattern: {name: neighbour, dims: [8]}, load: 0.9}\n",
		)
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Run(t.Context(), fabricast.Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Traffic.Accepted.Mean; got < want*0.97 || got > want*1.03 {
			t.Errorf("gap %s: %.3f accepted, expected %.3f", gap, got, want)
		}
	}
}

func TestWrongAssumptions(t *testing.T) {
	f := func(network, node, want string) {
		t.Helper()
		e, err := fabricast.Parse(
			"x.yaml",
			"network: "+network+"\nnode: "+node+"\nworkload: {program: barrier}\n",
		)
		if err == nil {
			_, err = e.Preview()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nexpected %s", err, want)
		}
	}
	f(
		"{topology: {dims: [4]}, routing: {algorithm: dor, dateline: clasic}}",
		"{nics: 1}",
		"network.routing.dateline: found clasic, expected one of balanced, classic, ahead (did you mean classic?)",
	)
	f(
		"{topology: {dims: [4]}, routing: {algorithm: dor, entry: last}}",
		"{nics: 1}",
		"network.routing.entry: found last, expected one of hop, first, all",
	)
	f(
		"{topology: {dims: [4]}, routing: {algorithm: minimal, dateline: classic}}",
		"{nics: 1}",
		"network.routing.dateline: found an option that minimal does not have",
	)
	f(
		"{topology: {kind: hyperx, dims: [4]}, routing: {algorithm: dor, dateline: classic}}",
		"{nics: 1}",
		"dateline, entry and shared_vcs are for tori and meshes",
	)
	f(
		"{topology: {kind: fully-connected, routers: 4}, routing: {algorithm: dor, choice: queue, shared_vcs: 1}}",
		"{nics: 1}",
		"dateline, entry and shared_vcs are for tori and meshes",
	)
	f(
		"{topology: {dims: [4]}}",
		"{nic_order: lifo}",
		"node.nic_order: found lifo, expected one of fifo, round-robin, control-first",
	)
	f(
		"{topology: {dims: [4]}}",
		"{gap: 0.0001}",
		"node.gap: found 0.0001, expected a number of packet times from 0 to 16777216, to the thousandth, such as 1.5",
	)
	f("{topology: {dims: [4]}}", "{gap: -1}", "node.gap")
	f("{topology: {dims: [4]}, router: {arbiter: arival}}", "{nics: 1}", "did you mean arrival?")
}
