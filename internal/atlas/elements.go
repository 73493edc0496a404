package atlas

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"fabricast/experiment"
	"fabricast/internal/failure"
	"fabricast/internal/random"
	"fabricast/topology"
)

// All selects every link, switch or pair of links.
const All = -1

// mostElements is the largest number of pairs of links from which some are drawn one by one.
const mostElements = 1 << 20

// Kinds of what fails.
const (
	KindLink   = "link"
	KindSwitch = "switch"
	KindPair   = "pair of links"
)

// element is what fails in a future.
type element struct {
	kind    string
	faults  []experiment.Fault // without times
	links   [][2]int32         // pairs of routers: all links between them
	routers []int32            // of which all links fail
}

// elements returns what fails, in order of numbers: links, then switches, then pairs of links. All
// links between two routers are one. A number in o is that of elements drawn by the seed, All, or
// more than there are.
func elements(g *topology.Graph, seed uint64, o *Options) (list []element, err error) {
	links := linksOf(g)
	pairs := len(links) * (len(links) - 1) / 2
	if pairs > mostElements && (o.Pairs == All || o.Pairs > mostElements) {
		return nil, failure.NewConfigError(fmt.Errorf(
			"found %d pairs of links, expected at most %d: draw some", pairs, mostElements,
		))
	}
	for _, i := range draw(seed, len(links), o.Links) {
		list = append(list, ofLinks(KindLink, links[i]))
	}
	for _, i := range draw(seed+1, g.Routers, o.Switches) {
		list = append(list, element{
			kind: KindSwitch, routers: []int32{int32(i)},
			faults: []experiment.Fault{{Switch: fmt.Sprint(i)}},
		})
	}
	for _, p := range draw(seed+2, pairs, o.Pairs) {
		a, b := pairAt(p)
		list = append(list, ofLinks(KindPair, links[b], links[a]))
	}
	if len(list) == 0 {
		err = failure.NewConfigError(errors.New(
			"found nothing that fails, expected links, switches or pairs of links",
		))
	}
	return list, err
}

func ofLinks(kind string, links ...[2]int32) element {
	x := element{kind: kind, links: links}
	for _, l := range links {
		x.faults = append(x.faults, experiment.Fault{Link: fmt.Sprintf("%d-%d", l[0], l[1])})
	}
	return x
}

// names says what fails, such as "link 3-17".
func (x *element) names() (list []string) {
	for i := range x.faults {
		list = append(list, x.faults[i].Part())
	}
	return list
}

// linksOf returns the pairs of routers that are joined by links, the lower number first.
func linksOf(g *topology.Graph) [][2]int32 {
	found := map[[2]int32]bool{}
	for port := range g.Ports {
		if g.Ports[port].Peer == topology.Unconnected {
			continue
		}
		a, b := g.Ports[port].Router, int32(g.PeerRouter(port))
		if a != b {
			found[[2]int32{min(a, b), max(a, b)}] = true
		}
	}
	byNumbers := func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) }
	return slices.SortedFunc(maps.Keys(found), byNumbers)
}

// pairAt returns the p-th pair a > b >= 0 in the order 1,0 2,0 2,1 3,0.
func pairAt(p int) (a, b int) {
	for a = 1; p >= a; a++ {
		p -= a
	}
	return a, p
}

// draw returns `some` of the numbers below n in ascending order, each with the same probability;
// all of them if some is All or at least n.
func draw(seed uint64, n, some int) []int {
	if some == All || some >= n {
		some = n
	}
	if 2*some > n { // those that are left out are fewer
		out := map[int]bool{}
		for _, i := range distinct(seed, n, n-some) {
			out[i] = true
		}
		list := make([]int, 0, some)
		for i := range n {
			if !out[i] {
				list = append(list, i)
			}
		}
		return list
	}
	return distinct(seed, n, some)
}

// distinct returns `some` different numbers below n, at most half of them, in ascending order.
func distinct(seed uint64, n, some int) []int {
	chosen := map[int]bool{}
	for counter := uint64(0); len(chosen) < some; counter++ {
		chosen[int(random.Below(seed, counter, uint64(n)))] = true
	}
	return slices.Sorted(maps.Keys(chosen))
}
