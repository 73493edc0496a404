package ethernet

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"fabricast/ethernet/control"
	"fabricast/internal/draws"
)

// follow runs flows on a network, some of which are followed.
func follow(t *testing.T, spec Spec, flows []flow, workers int, rule Following) (*Network, bool) {
	t.Helper()
	n, ended, _ := simulateOn(t, spec, flows, workers, func(n *Network) { n.Follow(rule) })
	return n, ended != nil
}

// TestCourses: the courses of flows are the same for any division into blocks. Those of all flows have all packets
// that were sent, and those that were sent again.
func TestCourses(t *testing.T) {
	longest := 0
	seeds := slices.Collect(draws.Seeds(40, 5_000))
	for more := range uint64(400) { // until there was a long one
		seeds = append(seeds, 1_000_000+1000*draws.Round()+more)
	}
	for i, seed := range seeds {
		if i >= len(seeds)-400 && longest >= mostSamples/2 {
			break
		}
		r := rand.New(rand.NewPCG(seed, 17))
		spec := drawSpec(t, r)
		flows := drawFlows(r, &spec)
		rule := Following{Most: 1 + r.IntN(40), Interval: 100 + r.Int64N(1<<(7+r.IntN(17)))}
		if r.IntN(3) == 0 {
			host := r.Int32N(int32(spec.Graph.Hosts))
			rule.To = func(h int32) bool { return h == host }
		}
		one, ended := follow(t, spec, flows, 1, rule)
		if !ended {
			continue
		}
		const until = 1_000_000_000
		several, _ := follow(t, spec, flows, 2+r.IntN(3), rule)
		if !reflect.DeepEqual(one.Followed(until), several.Followed(until)) {
			t.Fatalf("seed %d: courses differ with the division into blocks", seed)
		}
		all, _ := follow(t, spec, flows, 1, Following{Most: math.MaxInt, Interval: rule.Interval})
		var packets, again, timeouts uint64
		size, sent := int64(0), int64(0)
		for _, c := range all.Followed(until) {
			longest = max(longest, len(c.Samples))
			for i, s := range c.Samples {
				sent += s.Sent
				again += uint64(s.Again)
				timeouts += uint64(s.Timeouts)
				if i > 0 && s.Bin <= c.Samples[i-1].Bin || s.Bin > until/c.Interval && all.Deadlock() == nil && until/c.Interval >= mostSamples {
					t.Fatalf("seed %d: sample %d of bin %d", seed, i, s.Bin)
				}
			}
		}
		for nic := range all.nics {
			packets += all.Sent(nic).Packets
		}
		for _, b := range all.blocks {
			for _, f := range b.senders {
				size += f.payload + int64(f.next)*spec.Packet.Header
			}
		}
		c := all.Counts()
		if again != c.Again || timeouts != c.Timeouts || sent < size || again == 0 && sent != size {
			t.Fatalf("seed %d: courses have %d B, %d packets sent again, %d timeouts; flows %d B, and %+v", seed, sent, again, timeouts, size, c)
		}
	}
	if longest < mostSamples/4 && !testing.Short() {
		t.Errorf("no course has more than %d samples", longest)
	}
}

// TestCourseOfOneFlow: a flow with a window of two packets has them under way until its end.
func TestCourseOfOneFlow(t *testing.T) {
	spec := ultra(t, 4, control.Make(control.WindowOptions{Size: 8300}))
	n, _ := follow(t, spec, []flow{{0, 15, 409_000, 0, 0}, {0, 15, 4_090, 0, 0}, {1, 14, 40_900, 5_000_000, 0}, {1, 13, 100, 0, 0}}, 2, Following{
		Most: 2, Interval: 1_000_000, From: func(host int32) bool { return host < 2 },
	})
	list := n.Followed(1)
	if len(list) != 2 || list[0].Src != 0 || list[0].Posted != 413_090 || list[1].Dst != 14 || list[1].Begin != 5_000_000 {
		t.Fatalf("%+v", list)
	}
	c := list[0]
	sent := int64(0)
	for i, s := range c.Samples {
		sent += s.Sent
		if s.Window != 8300 || s.Rate != 0 || s.Flying > 8300 || s.Flying < 4150 && i < len(c.Samples)-4 {
			t.Errorf("%+v", s)
		}
	}
	if last := c.Samples[len(c.Samples)-1]; last.Flying != 0 || sent != 413_090+64*103 || c.End/c.Interval > last.Bin {
		t.Errorf("%d B were sent until %d; at last %+v", sent, c.End, last)
	}
}

// TestCourseEndsWithTheFlow: a rate that recovers long after the last message has no samples.
func TestCourseEndsWithTheFlow(t *testing.T) {
	spec := ultra(t, 4, control.Make(control.DCQCNOptions{}))
	spec.Switch.ECN = ECN{On: true, Max: 8_000, Most: 1, LastHop: true}
	spec.Switch.Trims = false
	var flows []flow
	for i := range int32(8) {
		flows = append(flows, flow{4 + i, 0, 409_000, 0, 0})
	}
	n, _ := follow(t, spec, flows, 1, Following{Most: 8, Interval: 1_000_000})
	slowed := false
	for _, c := range n.Followed(1) {
		for _, s := range c.Samples {
			slowed = slowed || s.Marked > 0 && s.Rate > 0
		}
		if last := c.Samples[len(c.Samples)-1]; c.End < 0 || last.Bin != c.End/c.Interval {
			t.Errorf("a flow that ended at %d ps has a sample of bin %d of %d ps", c.End, last.Bin, c.Interval)
		}
	}
	if !slowed {
		t.Error("no flow was slowed")
	}
}

// TestFollowedOfANIC: of the flows of a NIC those are followed to which most was posted.
func TestFollowedOfANIC(t *testing.T) {
	spec := ultra(t, 4, control.Make(control.NoneOptions{}))
	var flows []flow
	for i := range int64(12) {
		flows = append(flows, flow{0, int32(4 + i), 1000 * (1 + 7*i%12), i * 100_000, 0})
	}
	n, _ := follow(t, spec, flows, 1, Following{Most: 3, Interval: 1_000_000})
	for i, c := range n.Followed(1) {
		if want := 1000 * int64(12-i); c.Posted != want {
			t.Errorf("flow %d of %d B was followed, expected %d", i, c.Posted, want)
		}
	}
}
