package ethernet_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"fabricast/ethernet"
	"fabricast/ethernet/control"
	"fabricast/fabric"
	"fabricast/internal/draws"
	"fabricast/internal/ethernetoracle"
	"fabricast/internal/units"
)

// drawCombination gives some networks settings that are used together.
func drawCombination(r *rand.Rand, s *ethernet.Spec) {
	switch r.IntN(6) {
	case 0: // Ultra Ethernet
		s.NIC.Control, s.NIC.Retransmission = control.Make(control.NSCCOptions{Credit: true}), ethernet.Selective
		s.Switch.Trims = true
	case 1: // RoCE with ECN
		s.NIC.Control = control.Make(control.DCQCNOptions{})
		s.Switch.ECN.On = true
		s.Switch.ECN.Max = max(s.Switch.ECN.Max, s.Switch.ECN.Min+1)
	case 2: // go-back-N of packets that are cut
		s.Switch.Trims = true
	}
	if s.Switch.Trims && s.NIC.Timeout < 0 {
		s.NIC.Timeout = 50_000_000
	}
}

// messagesOf returns flows as messages of the oracle.
func messagesOf(flows []ethernet.TestFlow) (messages []ethernetoracle.Message) {
	for _, f := range flows {
		e := f.Exported()
		messages = append(messages, ethernetoracle.Message{Src: e.Src, Dst: e.Dst, Size: e.Size, Post: e.Start, Class: int(e.Class)})
	}
	return messages
}

// compareWithOracle fails a test if the engine and the oracle differ on an experiment.
func compareWithOracle(t *testing.T, seed uint64, found bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	spec := ethernet.DrawSpec(t, r)
	if found { // drawn as it was then
		spec.BitErrors, spec.Switch.Scaled, spec.Changes, spec.Epochs = nil, false, nil, nil
	}
	drawCombination(r, &spec)
	flows := ethernet.DrawFlows(r, &spec)
	if seed%8 == 6 { // more packets than an acknowledgement tells of
		for i := range min(3, len(flows)) {
			flows[i].Grow(8)
		}
	}
	messages := messagesOf(flows)
	want, err := ethernetoracle.Run(spec, messages)
	for tries := 0; errors.Is(err, ethernetoracle.ErrEndless) && tries < 4; tries++ {
		spec.NIC.Retransmission = ethernet.Selective
		spec.Switch.Headers *= 2
		spec.Switch.Queue *= 2
		want, err = ethernetoracle.Run(spec, messages)
	}
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	n, sent, got := ethernet.Simulate(t, spec, flows, 1+r.IntN(3))
	for i, m := range messages {
		if sent[i] != want.Sent[i] || got[i] != want.Received[i] {
			t.Errorf("seed %d: flow %d (%+v) was received at %d ps and acknowledged at %d, by the oracle at %d and %d",
				seed, i, m, got[i], sent[i], want.Received[i], want.Sent[i])
		}
	}
	if c := n.Counts(); c != ethernet.Counts(want.Counts) {
		t.Errorf("seed %d: the counts are\n%+v, by the oracle\n%+v", seed, c, want.Counts)
	}
	for class, c := range n.ByClass() {
		w := want.ByClass[class]
		if c != (ethernet.ClassCounts{w.Packets, w.Marked, w.Trimmed, w.Dropped, w.Pauses, w.Paused}) {
			t.Errorf("seed %d: the counts of class %d are\n%+v, by the oracle\n%+v", seed, class, c, w)
		}
	}
	comparePauses(t, seed, n, want.Pauses)
	if t.Failed() {
		t.FailNow()
	}
}

// comparePauses compares who has paused whom with the pauses of the oracle.
func comparePauses(t *testing.T, seed uint64, n *ethernet.Network, pauses []ethernetoracle.Pause) {
	t.Helper()
	type between struct {
		in, out int32
		class   uint8
	}
	want := map[between]ethernet.PauseSums{}
	for _, p := range pauses {
		key := between{int32(p.In), int32(p.Out), uint8(p.Class)}
		s := want[key]
		if s.Count == 0 {
			s.First = p.Begin
		}
		s.First = min(s.First, p.Begin)
		s.Count++
		s.Time += p.End - p.Begin
		s.Longest = max(s.Longest, p.End-p.Begin)
		if p.PassedOn {
			s.PassedOn++
			s.PassedTime += p.End - p.Begin
		}
		want[key] = s
	}
	if n.Deadlock() != nil { // some pauses have not ended
		return
	}
	got := n.Pausings(0)
	if len(got) != len(want) {
		t.Errorf("seed %d: %d ports pause for others, by the oracle %d", seed, len(got), len(want))
	}
	for _, p := range got {
		if w := want[between{p.In, p.Out, p.Class}]; p.PauseSums != w {
			t.Errorf("seed %d: %+v, by the oracle %+v", seed, p, w)
		}
	}
}

// TestOracle: the times of all flows at both ends and all counts are those of the oracle, in networks
// drawn over all settings.
func TestOracle(t *testing.T) {
	for seed := range draws.Seeds(100, 20_000) {
		compareWithOracle(t, seed, false)
	}
}

// TestOracleFound: experiments in which the engine once differed.
func TestOracleFound(t *testing.T) {
	for _, found := range []struct {
		seed  uint64
		fault string
	}{
		{1, "switches did not write the number of their port for HPCC"},
		{77, "idle credit depended on messages that were only posted"},
		{4, "a packet in the place of the last of a queue was not marked"},
		{2414, "an initial credit of 0 B let nothing through for ever"},
		{7, "a flow that went back still speculated with its initial credit"},
	} {
		t.Run(found.fault, func(t *testing.T) { compareWithOracle(t, found.seed, true) })
	}
}

// TestBinsOracle: how long packets have waited, and what queues have held, is in sum that of the oracle.
func TestBinsOracle(t *testing.T) {
	for seed := range draws.Seeds(12, 5_000) {
		r := rand.New(rand.NewPCG(seed, 13))
		spec := ethernet.DrawSpec(t, r)
		flows := ethernet.DrawFlows(r, &spec)
		_, want, err := ethernetoracle.RunCounting(spec, messagesOf(flows))
		if errors.Is(err, ethernetoracle.ErrEndless) {
			continue
		}
		n, bins := ethernet.BinsOf(t, spec, flows, 1+r.IntN(3), fabric.Observation{
			Interval: units.Time(10_000 + r.Int64N(10_000_000)), Buffers: true,
		})
		if err != nil || bins == nil || n.Deadlock() != nil { // in a deadlock, waits last for ever
			continue
		}
		if paused, busy, held := bins.Waits(); paused != want.Paused || busy != want.Busy || held != want.Held {
			t.Fatalf("seed %d: packets wait for pauses for %d ps, for others %d ps, queues hold %d B ps; by the oracle %+v",
				seed, paused, busy, held, *want)
		}
	}
}
