package traffic_test

import (
	"flag"
	"math"
	"testing"

	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/topology"
	"fabricast/traffic"
)

// coverageSeeds is the number of seeds for each case of TestNetworkIntervalsHoldTheMean. To
// distinguish 93 % from 85 %, 200 are necessary, which take several minutes.
var coverageSeeds = flag.Int("coverage", 3, "seeds of each network whose confidence intervals are counted")

// loadedNetwork is a network with its saturation throughput for uniform traffic.
type loadedNetwork struct {
	name       string
	spec       fabric.Spec
	top        topology.Topology
	saturation float64
}

// loadedNetworks returns small networks. Their saturation throughput was determined by bisection
// over the load, based on Outcome.Stable.
func loadedNetworks(t *testing.T) (torus, ring, mesh, tree loadedNetwork) {
	t.Helper()
	spec, top := network(t, 2, true, 4, 4)
	torus = loadedNetwork{"torus 4x4", spec, top, 0.82}
	spec, top = network(t, 2, true, 6)
	ring = loadedNetwork{"ring of 6", spec, top, 0.707}
	spec, top = network(t, 2, false, 3, 3)
	mesh = loadedNetwork{"mesh 3x3", spec, top, 0.817}
	built, err := topology.KaryTreeSpec{K: 2, N: 3}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	nca, err := routing.NewNCA(built.(*topology.XGFT), spec.Router.VCs, routing.UpDestination)
	if err != nil {
		t.Fatal(err)
	}
	link := spec.Links[0]
	spec.Graph, spec.Routing = built.Graph(), nca.(routing.Function)
	spec.Links = []fabric.Link{link, link, link}
	tree = loadedNetwork{"2-ary 3-tree", spec, built, 0.75}
	return torus, ring, mesh, tree
}

func (n *loadedNetwork) measure(t *testing.T, share float64, seed int) *traffic.Outcome {
	t.Helper()
	l := load(t, "uniform", n.top, share*n.saturation)
	l.Seed = uint64(seed)
	return measure(t, n.spec, l, 1)
}

// TestNetworkIntervalsHoldTheMean measures networks at 50 to 90 % of their saturation throughput
// with different seeds. At least 93 % of the 95 % confidence intervals, of latency and of accepted
// load, must contain the mean of all measurements. A case fails only if the probability of so few
// intervals by chance is below 0.001.
func TestNetworkIntervalsHoldTheMean(t *testing.T) {
	if testing.Short() {
		t.Skip("long, of one worker")
	}
	torus, ring, mesh, tree := loadedNetworks(t)
	var all coverage
	for _, c := range []struct {
		of    loadedNetwork
		share float64
	}{
		{torus, 0.5},
		{torus, 0.9},
		{ring, 0.7},
		{ring, 0.9},
		{mesh, 0.6},
		{mesh, 0.9},
		{tree, 0.8},
		{tree, 0.9},
	} {
		var latency, accepted intervals
		for seed := range *coverageSeeds {
			o := c.of.measure(t, c.share, seed+1)
			latency.add(float64(o.Latency.Mean()), o.LatencyHalf)
			accepted.add(o.Accepted, o.AcceptedHalf)
		}
		a, b := latency.coverage(), accepted.coverage()
		t.Logf(
			"%s, %g of saturation: latency %d of %d, accepted load %d of %d",
			c.of.name, c.share, a.held, a.of, b.held, b.of,
		)
		if a.low() || b.low() {
			t.Errorf("%s, %g of saturation: less than 93 %% of the intervals hold the mean", c.of.name, c.share)
		}
		all.add(a)
		all.add(b)
	}
	if all.low() {
		t.Errorf("%d of all %d intervals hold the mean, less than 93 %% beyond chance", all.held, all.of)
	}
	if measured := 2 * 8 * *coverageSeeds; 4*all.of < 3*measured {
		t.Errorf("%d of %d figures have an interval, less than three quarters", all.of, measured)
	}
}

// TestSaturationOfLoadedNetworks checks the saturation throughputs that
// TestNetworkIntervalsHoldTheMean assumes.
func TestSaturationOfLoadedNetworks(t *testing.T) {
	if testing.Short() {
		t.Skip("long, of one worker")
	}
	torus, ring, mesh, tree := loadedNetworks(t)
	for _, n := range []loadedNetwork{torus, ring, mesh, tree} {
		below, above := n.measure(t, 0.97, 1), n.measure(t, 1.03, 1)
		if !below.Stable || above.Stable {
			t.Errorf(
				"%s: stable %t and %t at 97 and 103 %% of a load of %g, want true and false",
				n.name, below.Stable, above.Stable, n.saturation,
			)
		}
	}
}

// intervals holds the centers and half-widths of confidence intervals of the same mean.
type intervals struct{ centers, halves []float64 }

func (i *intervals) add(center, half float64) {
	i.centers, i.halves = append(i.centers, center), append(i.halves, half)
}

// coverage counts intervals (of) and those that contain the mean (held).
type coverage struct{ held, of int }

// coverage counts the intervals that contain the mean of all centers. A measurement with a negative
// half-width has no interval and only contributes to the mean.
func (i *intervals) coverage() (c coverage) {
	mean := 0.0
	for _, center := range i.centers {
		mean += center / float64(len(i.centers))
	}
	for n, half := range i.halves {
		if half < 0 {
			continue
		}
		c.of++
		if math.Abs(i.centers[n]-mean) <= half {
			c.held++
		}
	}
	return c
}

func (c *coverage) add(other coverage) {
	c.held += other.held
	c.of += other.of
}

// low reports whether c.held or fewer intervals contain the mean with a probability below 0.001, if
// each does with a probability of 0.93.
func (c coverage) low() bool {
	const each, chance = 0.93, 0.001
	sum, n := 0.0, float64(c.of)
	for k := range c.held + 1 {
		held := float64(k)
		ways := factorial(n) - factorial(held) - factorial(n-held)
		sum += math.Exp(ways + held*math.Log(each) + (n-held)*math.Log(1-each))
	}
	return sum < chance
}

// factorial returns the natural logarithm of n!.
func factorial(n float64) float64 {
	l, _ := math.Lgamma(n + 1)
	return l
}

// TestCoverageIsLow checks low against binomial probabilities. Of 3 intervals, each with
// probability 0.93, none contains the mean with probability 0.000343, and at most one with 0.014. A
// share of 0.93 of many intervals is never low.
func TestCoverageIsLow(t *testing.T) {
	for c, want := range map[coverage]bool{
		{0, 0}: false, {0, 3}: true, {1, 3}: false, {186, 200}: false, {160, 200}: true,
		{2976, 3117}: false, {2800, 3117}: true,
	} {
		if c.low() != want {
			t.Errorf("%d of %d: low %t, want %t", c.held, c.of, c.low(), want)
		}
	}
}
