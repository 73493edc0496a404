package plan

import (
	"cmp"
	"maps"
	"slices"

	"fabricast/ethernet"
	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/units"
	"fabricast/topology"
)

// linkChanges is what the links of a network that drops or pauses packets do, and how routers react.
type linkChanges struct {
	changes []ethernet.Change
	epochs  []ethernet.Epoch
}

// choiceBytes is the size of an entry of the tables of shortest paths.
const choiceBytes = 4

// addEthernetFaults finds what fails in a network that drops or pauses packets.
func (p *Plan) addEthernetFaults(e *experiment.Resolved, classes []LinkClass) (err error) {
	t := p.Topology
	if p.Outages, err = allOutages(e, t); err != nil {
		return err
	}
	if err := refuseHosts(e, p.Outages); err != nil || len(p.Outages) == 0 {
		return err
	}
	events, err := portEvents(e, t.Graph(), p.Outages, classes)
	if err != nil {
		return err
	}
	p.changes = linkChanges{changes: changesOf(t.Graph(), events)}
	if !e.Faults.Reroutes() {
		p.sortChanges()
		return nil
	}
	p.changes.changes = append(p.changes.changes, avoidedPorts(e, t.Graph(), p.Outages)...)
	p.sortChanges()
	return p.addEpochs(e)
}

// refuseHosts returns an error if a host goes down.
func refuseHosts(e *experiment.Resolved, outages []Outage) error {
	for i := range outages {
		if o := &outages[i]; o.host >= 0 {
			return o.refuse(
				o.Name, "no host with network.router.buffers: "+e.Network.Router.Buffers,
				"a nic or a link may be down",
			)
		}
	}
	return nil
}

// sortChanges brings changes into the order of time. Those of an instant keep theirs, by direction.
func (p *Plan) sortChanges() {
	byTime := func(a, b ethernet.Change) int { return cmp.Compare(a.At, b.At) }
	slices.SortStableFunc(p.changes.changes, byTime)
}

// changesOf converts events of links.
func changesOf(g *topology.Graph, events []fabric.Event) (list []ethernet.Change) {
	kinds := map[fabric.EventKind]ethernet.ChangeKind{
		fabric.Down: ethernet.Down, fabric.Up: ethernet.Up, fabric.SetRate: ethernet.SetRate,
	}
	for _, e := range events {
		way := g.PortBase[e.Router] + e.Port
		if e.FromNIC {
			way = int32(len(g.Ports)) + g.Ports[way].NIC
		}
		list = append(list, ethernet.Change{At: int64(e.At), Kind: kinds[e.Kind], Way: way, Rate: e.Rate})
	}
	return list
}

// avoidedPorts returns when routers leave out their own ports whose links are down, and use them again:
// after faults.detection, or at once if the fault was announced.
func avoidedPorts(e *experiment.Resolved, g *topology.Graph, outages []Outage) (list []ethernet.Change) {
	type span struct{ from, to units.Time }
	spans := map[int32][]span{}
	for i := range outages {
		o := &outages[i]
		if o.Rate > 0 {
			continue
		}
		s := span{o.From + e.Faults.Detection, never}
		if o.From == 0 || o.announced != nil {
			s.from = o.From
		}
		if o.Ends() {
			s.to = max(s.from, o.To+e.Faults.Detection)
		}
		for _, port := range o.ports {
			if g.Ports[port].Peer != topology.Unconnected {
				spans[port] = append(spans[port], s)
			}
		}
	}
	for _, port := range slices.Sorted(maps.Keys(spans)) {
		of := spans[port]
		slices.SortFunc(of, func(a, b span) int { return cmp.Compare(a.from, b.from) })
		for i := 0; i < len(of); {
			all := of[i]
			for i++; i < len(of) && of[i].from <= all.to; i++ {
				all.to = max(all.to, of[i].to)
			}
			list = append(list, ethernet.Change{At: int64(all.from), Kind: ethernet.Avoid, Way: port})
			if all.to != never {
				list = append(list, ethernet.Change{At: int64(all.to), Kind: ethernet.Use, Way: port})
			}
		}
	}
	return list
}

// addEpochs adds the shortest paths without links, from when all routers know that these are down.
func (p *Plan) addEpochs(e *experiment.Resolved) error {
	g := p.Topology.Graph()
	r := &rerouting{e: e, t: p.Topology}
	list, err := r.avoidances(p.Outages, choiceBytes*int64(g.Routers)*int64(len(g.HostedRouters())))
	if err != nil {
		return err
	}
	graphs := map[string]*topology.Graph{keyOf(nil): g}
	now := g
	for _, a := range list {
		key := keyOf(a.links)
		if graphs[key] == nil {
			avoided := map[int32]bool{}
			for _, port := range a.links {
				avoided[port] = true
			}
			graphs[key] = without(g, func(port int32) bool { return avoided[port] })
		}
		if graphs[key] != now {
			now = graphs[key]
			p.changes.epochs = append(p.changes.epochs, ethernet.Epoch{At: int64(a.at), Graph: now})
		}
	}
	r.record(p.Outages)
	return nil
}
