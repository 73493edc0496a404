package experiments_test

import (
	"fmt"
	"slices"
	"testing"

	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
	"fabricast/routing"
)

// drawn is how many experiments the tests of this package draw.
const drawn = 400

// TestOracleRunsWhatIsDrawn runs experiments on the oracle, which watches over
// its invariants, and looks at what every outcome must have.
func TestOracleRunsWhatIsDrawn(t *testing.T) { oracleRuns(t, experiments.Draw) }

// TestOracleRunsGeneralSwitches does the same with general switches.
func TestOracleRunsGeneralSwitches(t *testing.T) { oracleRuns(t, experiments.DrawGeneral) }

// TestOracleRunsEveryTopology does the same with the library's topologies and routing.
func TestOracleRunsEveryTopology(t *testing.T) { oracleRuns(t, experiments.DrawShaped) }

func oracleRuns(t *testing.T, draw func(uint64) *experiments.Experiment) {
	for seed := range uint64(drawn) {
		e := draw(seed)
		outcome, err := experiments.RunOracle(e)
		if err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, e)
		}
		for i, fate := range outcome.Fates {
			m := e.Messages[i]
			if outcome.Stuck && fate.Delivered == experiments.Unknown {
				continue
			}
			if fate.Post < m.Ahead || fate.Fetched < fate.Post || fate.Delivered < fate.Fetched {
				t.Fatalf("seed %d: message %d %+v has the fate %+v\n%v", seed, i, m, fate, e)
			}
		}
	}
}

// TestDrawnExperimentsAreVaried keeps the generator from losing a kind of
// experiment unnoticed.
func TestDrawnExperimentsAreVaried(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(drawn) {
		e := experiments.Draw(seed)
		note := func(what string, is bool) {
			if is {
				seen[what]++
			} else {
				seen["not "+what]++
			}
		}
		note("one packet of buffer", int64(e.Router.Buffer) == e.Packet.MTU)
		note("round robin", e.Router.Arbiter != 0)
		note("several NICs", e.NICs > 1)
		note("six dimensions", len(e.Dims) == 6)
		note("tie up", e.TieUp)
		note("tree", e.Tree != nil)
		note("random routes", e.Route == experiments.Random)
		if e.Unsafe {
			outcome, err := experiments.RunOracle(e)
			note("stuck if it may be", err == nil && outcome.Stuck)
		}
		note("slow host link", e.HostLink.Bandwidth < e.Link.Bandwidth)
		note("hosts with links of their own", e.HostLinks != nil)
		note("hosts with links of their own, of one rate with all", latenciesAlone(e))
		note("slow crossbar", e.Router.Bandwidth < e.Link.Bandwidth)
		whole := func(rate int64) bool { return 1_000_000_000_000%rate == 0 }
		alike := e.HostLink.Bandwidth == e.Link.Bandwidth && e.Router.Bandwidth == e.Link.Bandwidth
		note(
			"rates alike, whole and with deep buffers",
			alike && whole(int64(e.Link.Bandwidth)) && whole(e.DMA) && e.DMA >= int64(e.Link.Bandwidth) &&
				int64(e.Router.Buffer) > 5*e.Packet.MTU,
		)
		note("slow DMA", e.DMA < int64(e.HostLink.Bandwidth))
		bus := int64(e.IOBus.Bandwidth)
		note("NICs take turns", e.Turns)
		note("NICs send messages without payload first", e.Control)
		note("gap of all NICs", e.Gap > 0)
		note("gap of all NICs that is no whole number of packet times", e.Gap%1000 > 0)
		note("I/O bus", bus > 0)
		note("I/O bus slower than DMA", bus > 0 && bus < e.DMA)
		note("I/O bus without latency", bus > 0 && e.IOBus.Latency == 0)
		note(
			"I/O bus of several NICs that are faster together",
			e.NICs > 1 && bus > 0 && bus < min(e.DMA, int64(e.HostLink.Bandwidth))*int64(e.NICs),
		)
		note("no host latency", e.HostLink.Latency == 0)
		note("several VCs", e.Router.VCs > 2)
		for i, wraps := range e.Wrap {
			note("ring that needs a dateline", wraps && e.Dims[i] > 3)
		}
		for _, m := range e.Messages {
			note("message to oneself", own(m))
			note("empty message", m.Size == 0)
			note("full packet", m.Size == e.Packet.Payload())
			note("long message", m.Size > 4*e.Packet.Payload())
			note("message at start", m.Cause == experiments.AtStart)
			note("message on delivery", m.Cause == experiments.OnDelivery)
			note("message on fetch", m.Cause == experiments.OnFetch)
			note("message ahead of time", m.Ahead > 0)
			note("paced message", m.Gap > 0)
			note("paced message of several packets", m.Gap > 0 && m.Size > e.Packet.Payload())
		}
	}
	for what, n := range seen {
		if n < drawn/100 {
			t.Errorf("%s: only %d times", what, n)
		}
	}
}

// latenciesAlone reports whether the links of hosts differ, and all links have the rate of crossbars.
func latenciesAlone(e *experiments.Experiment) bool {
	if e.HostLinks == nil || e.Link.Bandwidth != e.HostLink.Bandwidth ||
		e.Router.Bandwidth != e.HostLink.Bandwidth {
		return false
	}
	return !slices.ContainsFunc(e.HostLinks.Links, func(l fabric.Link) bool {
		return l.Bandwidth != e.HostLink.Bandwidth
	})
}

// own reports whether a message goes to the NIC that sends it.
func own(m experiments.Message) bool { return m.Src == m.Dst }

func TestParseReadsWhatIsPrinted(t *testing.T) {
	for seed := range uint64(20) {
		e := experiments.Draw(seed)
		back, err := experiments.Parse(e.String())
		if err != nil || back.String() != e.String() {
			t.Fatalf("seed %d: %v\nprinted %v\nread    %v", seed, err, e, back)
		}
	}
}

func TestDiffFindsTheEarliestDifference(t *testing.T) {
	e := experiments.Draw(3)
	want, err := experiments.RunOracle(e)
	if err != nil {
		t.Fatal(err)
	}
	got, err := experiments.RunOracle(e)
	if err != nil {
		t.Fatal(err)
	}
	if text := experiments.Diff(e, want, got); text != "" {
		t.Fatalf("two runs of one experiment differ: %s", text)
	}
	got.Ports[0].Bytes++
	if experiments.Diff(e, want, got) == "" {
		t.Error("a difference of traffic is not found")
	}
	got.Fates[0].Delivered++
	if experiments.Diff(e, want, got) == "" {
		t.Error("a difference of delivery is not found")
	}
}

// TestShrinkKeepsTheFailure shrinks toward one message that crosses a long way.
func TestShrinkKeepsTheFailure(t *testing.T) {
	fails := func(e *experiments.Experiment) bool {
		outcome, err := experiments.RunOracle(e)
		return err == nil && outcome.Hops >= 3
	}
	for seed := range uint64(20) {
		e := experiments.Draw(seed)
		if !fails(e) {
			continue
		}
		small := experiments.Shrink(e, fails)
		if !fails(small) || len(small.Messages) > 3 {
			t.Fatalf("seed %d: shrunk to\n%v", seed, small)
		}
	}
}

// TestDrawnShapesAreVaried demands every topology and every algorithm, and both forms of source
// routing, also on hierarchies and with messages of a host to itself.
func TestDrawnShapesAreVaried(t *testing.T) {
	networks, algorithms, forms := map[int]int{}, map[string]int{}, map[string]int{}
	for seed := range uint64(2 * drawn) {
		e := experiments.DrawShaped(seed)
		networks[e.Shape.Network]++
		algorithms[e.Shape.Algorithm]++
		spec, err := e.Spec()
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := spec.Routing.(*routing.Source); ok && slices.ContainsFunc(e.Messages, own) {
			hierarchy := e.Shape.Kind() == "hierarchy"
			forms[fmt.Sprintf("in headers %v, hierarchy %v", s.Vectors(), hierarchy)]++
		}
	}
	if len(forms) != 4 {
		t.Errorf("drawn forms of source routing with messages of a host to itself: %v", forms)
	}
	if len(networks) != len(experiments.Kinds()) || len(algorithms) != len(experiments.Routings()) {
		t.Errorf("drawn networks %v and algorithms %v", networks, algorithms)
	}
}

// TestGeneralExperimentsAreVaried is TestDrawnExperimentsAreVaried for what only
// general switches have.
func TestGeneralExperimentsAreVaried(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(drawn) {
		e := experiments.DrawGeneral(seed)
		r := e.Router
		seen[fmt.Sprintf("arbiter %d", r.Arbiter)]++
		seen["route "+string(e.Route)]++
		seen[fmt.Sprintf("queues %d, adaptive %v, output buffer %v", r.Queues, e.Route == experiments.Adaptive, r.OutputBuffer > 0)]++
		seen[fmt.Sprintf("output buffer of one packet %v", int64(r.OutputBuffer) == e.Packet.MTU)]++
		seen[fmt.Sprintf("speed-up %v", r.OutputBuffer > 0 && r.Bandwidth > e.Link.Bandwidth)]++
		seen[fmt.Sprintf("global view %v", e.Publish > 0)]++
		seen[fmt.Sprintf("allocation %d, output buffer %v", r.Allocation, r.OutputBuffer > 0)]++
		seen[fmt.Sprintf("allocation %d, turnaround %v", r.Allocation, r.Turnaround > 0)]++
		seen[fmt.Sprintf("allocation %d, injection %d", r.Allocation, r.Injection)]++
		waited := func(m experiments.Message) bool { return m.Waited > 0 }
		if r.Arbiter == fabric.Age && slices.ContainsFunc(e.Messages, waited) {
			seen["by age, some from when they were generated"]++
		}
	}
	if len(seen) < 5+3+8+6+12+1 {
		t.Errorf("some kinds of experiments are not drawn: %v", seen)
	}
	for what, n := range seen {
		if n < drawn/100 {
			t.Errorf("%s: only %d times", what, n)
		}
	}
}
