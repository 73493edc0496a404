package recording

import (
	"cmp"
	"slices"
	"sync"

	"fabricast/fabric"
	"fabricast/internal/plan"
	"fabricast/internal/units"
	"fabricast/record"
	"fabricast/topology"
)

// LinkLoad is the utilization of a link during the last complete interval.
type LinkLoad struct {
	Link        string  // name of the router and port at which the link starts
	Utilization float64 // share of the link's bandwidth
}

// gauge holds, for each partition block, the links with the highest utilization in the last
// complete interval.
type gauge struct {
	plan   *plan.Plan
	ports  []int32 // by index of a link, between routers or to a NIC
	most   int
	mutex  sync.Mutex
	blocks []hotBin
}

// hotBin holds the links of a block with the highest utilization in one interval, in descending
// order.
type hotBin struct {
	begin, end int64 // ps
	links      []hotLink
}

type hotLink struct {
	number      int32
	utilization float64
}

// newGauge returns a gauge that holds up to `most` links; nil if most is 0.
func newGauge(p *plan.Plan, blocks, most int) *gauge {
	if most <= 0 {
		return nil
	}
	g := &gauge{plan: p, most: most, blocks: make([]hotBin, blocks)}
	for i, port := range p.Fabric.Graph.Ports {
		if port.Peer != topology.Unconnected || port.NIC != topology.Unconnected {
			g.ports = append(g.ports, int32(i))
		}
	}
	return g
}

// take replaces the hottest links of a block with those of a new interval.
func (g *gauge) take(block int, bin *fabric.Bin) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	hot := &g.blocks[block]
	hot.begin, hot.end, hot.links = int64(bin.Begin), int64(bin.Begin)+int64(bin.Interval), hot.links[:0]
	seconds := float64(bin.Interval) / float64(units.Second)
	for i := range bin.Links {
		l := &bin.Links[i]
		share := float64(l.Bytes) / (float64(g.capacity(l.Link)) * seconds)
		hot.links = insertHot(hot.links, g.most, hotLink{l.Link, share})
	}
}

// insertHot inserts a link into a list sorted by utilization, which has at most `most` links.
func insertHot(list []hotLink, most int, l hotLink) []hotLink {
	if len(list) == most && compareHot(list[most-1], l) <= 0 {
		return list
	}
	at, _ := slices.BinarySearchFunc(list, l, compareHot)
	if len(list) == most {
		list = list[:most-1]
	}
	return slices.Insert(list, at, l)
}

func compareHot(a, b hotLink) int {
	return cmp.Or(cmp.Compare(b.utilization, a.utilization), cmp.Compare(a.number, b.number))
}

// port returns the router port of a link. injection is true if the link leads from a NIC to that
// port.
func (g *gauge) port(link int32) (port int32, injection bool) {
	if int(link) < len(g.ports) {
		return g.ports[link], false
	}
	return g.plan.Fabric.Graph.NICPort[int(link)-len(g.ports)], true
}

// capacity returns a link's bandwidth in bytes/s.
func (g *gauge) capacity(link int32) int64 {
	port, _ := g.port(link)
	return int64(g.plan.Fabric.Links[g.plan.Fabric.Graph.Ports[port].Link].Bandwidth)
}

// hottest returns the links with the highest utilization over all blocks, and the start and end
// (ps) of the latest interval. It excludes blocks whose last interval ended before that start: they
// have been idle since.
func (g *gauge) hottest() (links []LinkLoad, from, to units.Time) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	var last hotBin
	for _, b := range g.blocks {
		if b.end > last.end {
			last = b
		}
	}
	var list []hotLink
	for _, b := range g.blocks {
		if b.end < last.begin {
			continue
		}
		for _, l := range b.links {
			list = insertHot(list, g.most, l)
		}
	}
	for _, l := range list {
		links = append(links, LinkLoad{g.name(l.number), min(l.utilization, 1)})
	}
	return links, units.Time(last.begin), units.Time(last.end)
}

// name returns the name of the router and port, or of the NIC, at which a link starts.
func (g *gauge) name(link int32) string {
	port, injection := g.port(link)
	graph, t := g.plan.Fabric.Graph, g.plan.Topology
	router := int(graph.Ports[port].Router)
	l := record.Link{
		Kind:       record.Between,
		RouterName: t.RouterName(router),
		PortName:   t.PortName(router, int(port-graph.PortBase[router])),
	}
	if injection {
		l.Kind = record.Injection
	}
	return l.Where()
}
