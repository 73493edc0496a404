package netfile

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"

	"fabricast/internal/units"
	"fabricast/topology"
)

// htsimLoses is what topologies of htsim do not hold.
const htsimLoses = "names, the order of hosts beyond that of their switches, names of classes, and links without a bandwidth " +
	"or latency, which get those of an experiment without either, 8GB/s and 100ns"

// Unfit is the error of a network that a format cannot describe.
type Unfit struct{ Format, Why string }

// Error implements error.
func (u *Unfit) Error() string { return u.Format + " cannot hold this network: " + u.Why }

// writeHtsim writes a fat tree as htsim describes it: by the numbers of ports of its tiers. It returns an *Unfit
// if the network is no such tree.
func writeHtsim(w io.Writer, t topology.Topology, cables []Cable) error {
	f := htsimFinder{g: t.Graph(), name: t.RouterName}
	for _, step := range []func(){f.hosts, f.levels, f.findPods, f.tier1, f.tier2} {
		if step(); f.why != "" {
			return &Unfit{"htsim", "it describes fat trees of two or three tiers, but " + f.why}
		}
	}
	out := bufio.NewWriter(w)
	tiers := 2
	if f.cores > 0 {
		tiers = 3
	}
	fmt.Fprintf(out, "Nodes %d\nTiers %d\nPodsize %d\n", f.g.Hosts, tiers, f.tors*f.down)
	for tier := range tiers {
		rate, delay, why := htsimCable(f.classes[tier], cables)
		if why != "" {
			return &Unfit{"htsim", fmt.Sprintf("links below tier %d %s", tier, why)}
		}
		fmt.Fprintf(out, "Tier %d\nDownlink_speed_Gbps %d\nDownlink_Latency_ns %d\n", tier, rate, delay)
		down := [3]int{f.down, f.tors * f.bundle[1], f.pods * f.bundle[2]}[tier]
		fmt.Fprintf(out, "Radix_Down %d\n", down)
		if tier < tiers-1 {
			fmt.Fprintf(out, "Radix_Up %d\n", [2]int{f.aggs * f.bundle[1], f.cores * f.bundle[2]}[tier])
		}
		if f.bundle[tier] > 1 {
			fmt.Fprintf(out, "Bundle %d\n", f.bundle[tier])
		}
	}
	return out.Flush()
}

// htsimCable returns the rate (Gb/s) and latency (ns) that all links of some classes have, or why there are none.
func htsimCable(classes []uint16, cables []Cable) (rate, delay int64, why string) {
	for i, class := range classes {
		bandwidth, latency := ns3Rate, ns3Delay
		if c := cables[class]; c.Bandwidth != nil {
			bandwidth = *c.Bandwidth
		}
		if c := cables[class]; c.Latency != nil {
			latency = *c.Latency
		}
		gbps, ns := int64(bandwidth)*8/1_000_000_000, int64(latency/units.Nanosecond)
		switch {
		case gbps*1_000_000_000 != int64(bandwidth)*8 || gbps == 0:
			return 0, 0, fmt.Sprintf("have %v, no whole number of Gb/s", bandwidth)
		case units.Time(ns)*units.Nanosecond != latency:
			return 0, 0, fmt.Sprintf("have a latency of %v, no whole number of ns", latency)
		case i > 0 && (gbps != rate || ns != delay):
			return 0, 0, "differ in bandwidth or latency"
		}
		rate, delay = gbps, ns
	}
	return rate, delay, ""
}

// htsimFinder finds the fat tree that a network is.
type htsimFinder struct {
	g    *topology.Graph
	name func(router int) string
	why  string // the network is none; "": it is one as far as was looked

	down                    int // hosts of a switch of tier 0
	pods, tors, aggs, cores int // pods; switches of tier 0 and 1 in a pod; switches of tier 2 above one of tier 1
	bundle                  [3]int
	classes                 [3][]uint16 // of the links below a tier

	level []int         // by router: its tier
	above []map[int]int // by router: switches of the next tier that it is joined to, and the numbers of links
	below []map[int]int // likewise, of the tier below
	pod   []int         // by router of tiers 0 and 1
}

// fail says why the network is no such tree.
func (f *htsimFinder) fail(format string, a ...any) {
	if f.why == "" {
		f.why = fmt.Sprintf(format, a...)
	}
}

// sees records a class of links below a tier.
func (f *htsimFinder) sees(tier int, class uint16) {
	if !slices.Contains(f.classes[tier], class) {
		f.classes[tier] = append(f.classes[tier], class)
	}
}

// same sets a number that is equal everywhere, or fails.
func (f *htsimFinder) same(number *int, value, router int, what string) {
	if *number == 0 {
		*number = value
	}
	if *number != value {
		f.fail("%s has %d %s where others have %d", f.name(router), value, what, *number)
	}
}

// hosts finds tier 0: the switches with hosts.
func (f *htsimFinder) hosts() {
	f.bundle = [3]int{1, 0, 0}
	f.level = slices.Repeat([]int{-1}, f.g.Routers)
	hosts := make([]int, f.g.Routers)
	for nic := range f.g.NICPort {
		port := f.g.Ports[f.g.NICPort[nic]]
		hosts[port.Router]++
		f.level[port.Router] = 0
		f.sees(0, port.Link)
	}
	if f.g.NICsPerHost != 1 {
		f.fail("each host has %d links", f.g.NICsPerHost)
	}
	for r, n := range hosts {
		if n > 0 {
			f.same(&f.down, n, r, "hosts")
		}
	}
	if f.down == 0 {
		f.fail("this network has no hosts")
	}
}

// levels finds the tiers of the other switches, and what joins them.
func (f *htsimFinder) levels() {
	f.above, f.below = make([]map[int]int, f.g.Routers), make([]map[int]int, f.g.Routers)
	for r := range f.g.Routers {
		f.above[r], f.below[r] = map[int]int{}, map[int]int{}
	}
	between := links(f.g)
	for tier := range 2 {
		for _, e := range between {
			for _, ends := range [][2]int{{e.A, e.B}, {e.B, e.A}} {
				if f.level[ends[0]] == tier && f.level[ends[1]] < 0 {
					f.level[ends[1]] = tier + 1
				}
			}
		}
	}
	for _, e := range between {
		low, high := e.A, e.B
		if f.level[low] > f.level[high] {
			low, high = high, low
		}
		switch {
		case e.OneWay:
			f.fail("a link between %s and %s leads one way", f.name(low), f.name(high))
			return
		case f.level[low] < 0 || f.level[high] != f.level[low]+1:
			f.fail("a link joins %s and %s, which are not on neighbouring tiers", f.name(low), f.name(high))
			return
		}
		f.above[low][high]++
		f.below[high][low]++
		f.sees(f.level[high], e.Class)
	}
	if i := slices.Index(f.level, -1); i >= 0 {
		f.fail("no host reaches %s over two switches", f.name(i))
	}
}

// findPods finds the pods: switches of tiers 0 and 1 that are joined.
func (f *htsimFinder) findPods() {
	f.pod = slices.Repeat([]int{-1}, f.g.Routers)
	for r := range f.g.Routers {
		if f.level[r] != 0 || f.pod[r] >= 0 {
			continue
		}
		f.pod[r] = f.pods
		var size [2]int
		for list := []int{r}; len(list) > 0; {
			at := list[len(list)-1]
			list = list[:len(list)-1]
			size[f.level[at]]++
			next := f.above[at]
			if f.level[at] == 1 {
				next = f.below[at]
			}
			for to := range next {
				if f.pod[to] < 0 {
					f.pod[to] = f.pods
					list = append(list, to)
				}
			}
		}
		f.pods++
		f.same(&f.tors, size[0], r, "switches with hosts in its pod")
		f.same(&f.aggs, max(size[1], 1), r, "switches of tier 1 in its pod")
	}
}

// tier1 checks that all switches of a pod are joined alike.
func (f *htsimFinder) tier1() {
	for r := range f.g.Routers {
		if f.level[r] != 0 {
			continue
		}
		if len(f.above[r]) != f.aggs {
			f.fail("%s is not joined to all switches of tier 1 in its pod", f.name(r))
		}
		f.alike(1, r)
	}
	if !slices.Contains(f.level, 2) && f.pods > 1 {
		f.fail("nothing joins its %d pods", f.pods)
	}
}

// alike checks that a switch is joined to all above it by as many links as others are, up to a tier.
func (f *htsimFinder) alike(tier, router int) {
	for _, high := range slices.Sorted(maps.Keys(f.above[router])) {
		f.same(&f.bundle[tier], f.above[router][high], router, "parallel links upward")
	}
}

// tier2 checks that the switches of tier 2 form groups, each of which is joined to one switch of each pod.
func (f *htsimFinder) tier2() {
	if !slices.Contains(f.level, 2) {
		return
	}
	group := map[int]int{} // by switch of tier 2: the one of tier 1 in the first pod
	for r := range f.g.Routers {
		switch {
		case f.level[r] == 1:
			f.same(&f.cores, len(f.above[r]), r, "switches of tier 2 above it")
			f.alike(2, r)
		case f.level[r] == 2:
			seen := map[int]bool{}
			for low := range f.below[r] {
				seen[f.pod[low]] = true
				if f.pod[low] == 0 {
					group[r] = low
				}
			}
			if len(seen) != f.pods || len(f.below[r]) != f.pods {
				f.fail("%s is not joined to one switch of each pod", f.name(r))
			}
		}
	}
	for r := range f.g.Routers {
		first := -1
		for high := range f.above[r] {
			if of, known := group[high]; f.level[r] == 1 && known {
				if first >= 0 && first != of {
					f.fail("the switches above %s are joined to several of another pod", f.name(r))
				}
				first = of
			}
		}
	}
}
