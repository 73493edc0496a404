package netfile

import (
	"fmt"
	"strconv"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/humanize"
	"fabricast/internal/pattern"
	"fabricast/internal/units"
	"fabricast/topology"
)

var _ = register(52, Format{
	Name: "htsim", Summary: "htsim's .topo: a fat tree of two or three tiers",
	Endings: []string{".topo"}, read: readHtsim, write: writeHtsim, loses: htsimLoses,
	begins: func(text string) bool { return htsimBegins().MatchString(text) },
})

// htsimBegins matches the number of tiers, which no other format has.
var htsimBegins = pattern.Lazy(`(?mi)^[ \t]*Tiers[ \t]+[23][ \t]*\r?$`)

// htsimTree reads a fat tree: its size, and for each tier of switches the ports and links below.
type htsimTree struct {
	*inventory
	values map[string]int // by name in lower case, with the tier before those of a tier: "0 radix_up"
	at     map[string]config.Position
	tier   int // that is being read; -1: none
	pods   int
	tors   int // of a pod
	aggs   int // of a pod
	cores  int
}

// htsimHead and htsimTier are the names of values, with the largest of each.
var (
	htsimHead = map[string]int{"nodes": topology.MaxHosts, "tiers": 3, "podsize": topology.MaxHosts}
	htsimTier = map[string]int{
		"downlink_speed_gbps": 1_000_000, "radix_down": topology.MaxHosts, "radix_up": topology.MaxHosts,
		"downlink_latency_ns": 1_000_000_000, "switch_latency_ns": 1_000_000_000,
		"oversubscribed": 1 << 20, "bundle": 1 << 10, "queue_down": 1 << 40, "queue_up": 1 << 40,
	}
)

// mostLinks is the number of links between switches at most.
const mostLinks = 1 << 26

func readHtsim(source *config.Source, _ int) (*Network, config.Problems) {
	h := &htsimTree{
		inventory: newInventory(source, "htsim"), values: map[string]int{},
		at: map[string]config.Position{}, tier: -1,
	}
	n := 0
	for line := range strings.Lines(source.Text) {
		n++
		text, _, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "#")
		if words := split(text, n); len(words) > 0 {
			h.line(words)
		}
		if h.problems.Enough() {
			break
		}
	}
	if h.problems.Count() == 0 {
		h.size()
	}
	if h.problems.Count() > 0 {
		return nil, h.problems.Problems()
	}
	h.build()
	h.say()
	return h.network()
}

// line reads a name and a number.
func (h *htsimTree) line(words []word) {
	name := strings.ToLower(words[0].text)
	most, known := htsimHead[name]
	if h.tier >= 0 {
		most, known = htsimTier[name]
	}
	if name == "tier" {
		most, known = 2, true
	}
	if !known || len(words) != 2 {
		expected := "Nodes, Tiers, Podsize or Tier with a number"
		if h.tier >= 0 {
			expected = "a value of a tier with a number, such as Radix_Down 8"
		}
		h.fail(words[0].at, "line", words[0].text, expected, "")
		return
	}
	value, err := strconv.Atoi(words[1].text)
	least := 1
	if name == "tier" || strings.HasSuffix(name, "_ns") {
		least = 0
	}
	if err != nil || value < least || value > most {
		h.fail(words[1].at, name, words[1].text,
			fmt.Sprintf("a whole number from %d to %d", least, most), "")
		return
	}
	key := h.key(name)
	if name == "tier" {
		h.tier = value
		key = h.key("here")
	}
	if _, twice := h.at[key]; twice {
		h.fail(words[0].at, name, "a second time", "one line",
			fmt.Sprintf("the first is line %d", h.at[key].Line))
	}
	h.values[key], h.at[key] = value, words[0].at
}

// key returns the name of a value of the tier that is being read.
func (h *htsimTree) key(name string) string {
	if h.tier < 0 {
		return name
	}
	return fmt.Sprint(h.tier, " ", name)
}

// of returns a value of a tier; 0 if it is not given.
func (h *htsimTree) of(tier int, name string) int { return h.values[fmt.Sprint(tier, " ", name)] }

// bundle returns the number of parallel links between a switch of a tier and one below.
func (h *htsimTree) bundle(tier int) int { return max(1, h.of(tier, "bundle")) }

// size computes the numbers of switches, and checks that they fit together.
func (h *htsimTree) size() {
	start := config.Position{Line: 1, Column: 1, Width: 1}
	demand := func(holds bool, at config.Position, field, found, expected string) bool {
		if !holds && h.problems.Count() == 0 {
			if at.Line == 0 {
				at = start
			}
			h.fail(at, field, found, expected, "")
		}
		return h.problems.Count() == 0
	}
	nodes, tiers, pod := h.values["nodes"], h.values["tiers"], h.values["podsize"]
	for _, name := range []string{"nodes", "tiers", "podsize"} {
		demand(h.values[name] > 0, start, name, "nothing", "a number")
	}
	demand(tiers >= 2, h.at["tiers"], "tiers", fmt.Sprint(tiers), "2 or 3")
	for t := range tiers {
		tier, at := fmt.Sprint("tier ", t), h.at[fmt.Sprint(t, " here")]
		demand(at.Line > 0, start, tier, "nothing", "a line and values of this tier")
		demand(h.of(t, "radix_down") > 0, at, tier, "no Radix_Down", "the number of ports down")
		demand(t == tiers-1 || h.of(t, "radix_up") > 0, at, tier, "no Radix_Up", "the number of ports up")
		demand(h.of(t, "downlink_speed_gbps") > 0 || t > 0, at, tier, "no Downlink_speed_Gbps",
			"the rate of its links")
		demand(h.of(t, "radix_down")%h.bundle(t) == 0, at, tier, fmt.Sprint("Bundle ", h.bundle(t)),
			"a divisor of Radix_Down")
	}
	if h.problems.Count() > 0 {
		return
	}
	down, up := h.of(0, "radix_down"), h.of(0, "radix_up")
	demand(nodes%pod == 0 && (tiers == 3 || nodes == pod), h.at["podsize"], "podsize", fmt.Sprint(pod),
		fmt.Sprintf("a divisor of the %d nodes, or their number if there are two tiers", nodes))
	demand(pod%down == 0, h.at["podsize"], "podsize", fmt.Sprint(pod),
		fmt.Sprintf("a multiple of Radix_Down of tier 0, %d", down))
	demand(h.bundle(0) == 1, h.at["0 bundle"], "bundle", fmt.Sprint(h.bundle(0)),
		"1: a host has one link")
	demand(up%h.bundle(1) == 0, h.at["0 radix_up"], "radix_up", fmt.Sprint(up),
		fmt.Sprintf("a multiple of the bundle of tier 1, %d", h.bundle(1)))
	if h.problems.Count() > 0 {
		return
	}
	h.pods, h.tors, h.aggs = nodes/pod, pod/down, up/h.bundle(1)
	demand(h.tors*h.bundle(1) == h.of(1, "radix_down"), h.at["1 radix_down"], "radix_down",
		fmt.Sprint(h.of(1, "radix_down")),
		fmt.Sprintf("%d: links to each of %s of tier 0 in a pod", h.tors*h.bundle(1),
			humanize.Plural(h.tors, "switch")))
	if tiers == 3 {
		up := h.of(1, "radix_up")
		demand(up%h.bundle(2) == 0, h.at["1 radix_up"], "radix_up", fmt.Sprint(up),
			fmt.Sprintf("a multiple of the bundle of tier 2, %d", h.bundle(2)))
		h.cores = h.aggs * (up / h.bundle(2))
		demand(h.pods*h.bundle(2) == h.of(2, "radix_down"), h.at["2 radix_down"], "radix_down",
			fmt.Sprint(h.of(2, "radix_down")),
			fmt.Sprintf("%d: links to each of %s", h.pods*h.bundle(2), humanize.Plural(h.pods, "pod")))
	}
	links := int64(h.pods)*int64(h.tors)*int64(up) + int64(h.cores)*int64(h.of(2, "radix_down"))
	demand(links <= mostLinks, start, "links", fmt.Sprint(links), fmt.Sprintf("at most %d", mostLinks))
}

// cable returns the cable between a tier and what is below it.
func (h *htsimTree) cable(tier int) (c Cable) {
	speed := h.of(tier, "downlink_speed_gbps")
	if speed == 0 {
		speed = h.of(0, "downlink_speed_gbps")
	}
	rate := units.Rate(speed) * units.GBPerSecond / 8
	c.Bandwidth = &rate
	if at, given := h.at[fmt.Sprint(tier, " downlink_latency_ns")]; given && at.Line > 0 {
		latency := units.Time(h.of(tier, "downlink_latency_ns")) * units.Nanosecond
		c.Latency = &latency
	}
	return c
}

// build adds the switches and links: every switch of tier 1 to all of tier 0 in its pod, and the
// one at place p of each pod to every core whose number is p modulo the number of such places.
func (h *htsimTree) build() {
	cables := [3]Cable{h.cable(0), h.cable(1), h.cable(2)}
	at := func(tier int) config.Position { return h.at[fmt.Sprint(tier, " here")] }
	named := func(tier int, name string, number int) int {
		name += strconv.Itoa(number)
		return h.device(device{id: name, name: name, at: at(tier)})
	}
	join := func(tier, above, below int) {
		for range h.bundle(tier) {
			h.wires = append(h.wires, wire{
				ends: [2]plug{{device: above}, {device: below}}, cable: cables[tier], at: at(tier),
				class: h.class(tier),
			})
		}
	}
	var tors, aggs, cores []int
	for i := range h.pods * h.tors {
		tors = append(tors, named(0, "LS_", i))
	}
	for i := range h.pods * h.aggs {
		aggs = append(aggs, named(1, "US_", i))
	}
	for i := range h.cores {
		cores = append(cores, named(2, "CS_", i))
	}
	for node := range h.values["nodes"] {
		name := "SRC_" + strconv.Itoa(node)
		host := h.device(device{id: name, name: name, adapter: true, at: at(0)})
		h.wires = append(h.wires, wire{
			ends: [2]plug{{device: tors[node/h.of(0, "radix_down")]}, {device: host}}, cable: cables[0],
			at: at(0),
		})
	}
	for i, agg := range aggs {
		pod := i / h.aggs
		for _, tor := range tors[pod*h.tors:][:h.tors] {
			join(1, agg, tor)
		}
		for c := i % h.aggs; c < h.cores; c += h.aggs {
			join(2, cores[c], agg)
		}
	}
}

// class returns the name of the class of the links below a tier.
func (h *htsimTree) class(tier int) string { return fmt.Sprint("tier", tier) }

// say says what was understood, and what has no influence.
func (h *htsimTree) say() {
	h.reading.understand("%s, each with %s and %s above", humanize.Plural(h.pods, "pod"),
		humanize.Plural(h.tors, "leaf switch"), humanize.Plural(h.aggs, "switch"))
	ignored := tally{}
	for key := range h.at {
		_, name, _ := strings.Cut(key, " ")
		switch name {
		case "queue_up", "queue_down":
			ignored["sizes of queues"]++
		case "oversubscribed":
			ignored["Oversubscribed, which follows from the links"]++
		case "switch_latency_ns":
			if h.values[key] > 0 {
				ignored["latencies of switches: network.router has them"]++
			}
		}
	}
	if len(ignored) > 0 {
		h.reading.ignore("%s", ignored.list())
	}
}
