package fabricast

import (
	"cmp"
	"slices"
	"sync"

	"fabricast/fabric"
	"fabricast/record"
	"fabricast/topology"
)

// LinkLoad is what a link carried lately.
type LinkLoad struct {
	Link       string  // where it begins, in the topology's words
	Efficiency float64 // share of the link's bandwidth
}

// Hottest has Progress tell of the n links that carry most of what they can. The run then
// counts what links carry in intervals, which takes a little time.
func Hottest(n int) Option { return func(s *settings) { s.hottest = n } }

// gauge keeps which links carried most in the last complete bin of each block.
type gauge struct {
	plan   *plan
	ports  []int32 // by number of a link between routers or to a NIC
	most   int
	mutex  sync.Mutex
	blocks []hotBin
}

// hotBin is the hottest links of a block in a bin, the hottest first.
type hotBin struct {
	begin, end int64 // ps
	links      []hotLink
}

type hotLink struct {
	number     int32
	efficiency float64
}

// newGauge is nil if nothing is asked for.
func newGauge(p *plan, blocks, most int) *gauge {
	if most <= 0 {
		return nil
	}
	g := &gauge{plan: p, most: most, blocks: make([]hotBin, blocks)}
	for i, port := range p.fabric.Graph.Ports {
		if port.Peer != topology.Unconnected || port.NIC != topology.Unconnected {
			g.ports = append(g.ports, int32(i))
		}
	}
	return g
}

// take looks at a block's bin.
func (g *gauge) take(block int, bin *fabric.Bin) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	hot := &g.blocks[block]
	hot.begin, hot.end, hot.links = bin.Begin, bin.Begin+bin.Interval, hot.links[:0]
	seconds := float64(bin.Interval) / float64(Second)
	for i := range bin.Links {
		l := &bin.Links[i]
		share := float64(l.Bytes) / (float64(g.capacity(l.Link)) * seconds)
		hot.links = insertHot(hot.links, g.most, hotLink{l.Link, share})
	}
}

// insertHot puts a link in its place among at most so many.
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
	return cmp.Or(cmp.Compare(b.efficiency, a.efficiency), cmp.Compare(a.number, b.number))
}

// port is that of a link, and whether the link is a NIC's into the network.
func (g *gauge) port(link int32) (port int32, injection bool) {
	if int(link) < len(g.ports) {
		return g.ports[link], false
	}
	return g.plan.fabric.Graph.NICPort[int(link)-len(g.ports)], true
}

// capacity is a link's bandwidth in bytes/s.
func (g *gauge) capacity(link int32) int64 {
	port, _ := g.port(link)
	return g.plan.fabric.Links[g.plan.fabric.Graph.Ports[port].Link].Bandwidth
}

// hottest tells of the last complete bins, and of what time these are. Blocks whose last bin is
// long past have done nothing since.
func (g *gauge) hottest() (links []LinkLoad, from, to Time) {
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
		links = append(links, LinkLoad{g.name(l.number), min(l.efficiency, 1)})
	}
	return links, Time(last.begin), Time(last.end)
}

// name is where a link begins.
func (g *gauge) name(link int32) string {
	port, injection := g.port(link)
	graph, t := g.plan.fabric.Graph, g.plan.topology
	router := int(graph.Ports[port].Router)
	l := record.Link{Kind: record.Between, RouterName: t.RouterName(router), PortName: t.PortName(router, int(port-graph.PortBase[router]))}
	if injection {
		l.Kind = record.Injection
	}
	return l.Where()
}

// tell adds what the gauge, which may be nil, shows.
func (g *gauge) tell(p *Progress) {
	if g != nil {
		p.Hottest, p.HotFrom, p.HotTo = g.hottest()
	}
}
