package fabricast

import (
	"iter"
	"slices"

	"fabricast/fabric"
	"fabricast/record"
	"fabricast/topology"
)

// linkMeter turns what passed over links into bandwidths.
type linkMeter struct {
	plan      *plan
	port, nic func(int) fabric.PortUse // what went out of a port, and out of a NIC
	seconds   float64                  // of simulated time in which it did
}

func (s *simulation) linkMeter(end Time) linkMeter {
	return linkMeter{s.plan, s.network.Port, s.network.NIC, float64(end) / float64(Second)}
}

// rows yields every direction of every link: what each router port sends, and
// then what each NIC injects.
func (m linkMeter) rows() iter.Seq[record.Link] {
	return func(yield func(record.Link) bool) {
		number := int32(0)
		for row := range m.unnamed() {
			row.Link = number
			number++
			if !yield(m.named(row)) {
				return
			}
		}
	}
}

// unnamed is rows without the names, which take longer to make than all the rest.
func (m linkMeter) unnamed() iter.Seq[record.Link] {
	return func(yield func(record.Link) bool) {
		g := m.plan.fabric.Graph
		for p, port := range g.Ports {
			if port.Peer == topology.Unconnected && port.NIC == topology.Unconnected {
				continue
			}
			if !yield(m.output(p)) {
				return
			}
		}
		for nic := range g.NICPort {
			if !yield(m.injection(nic)) {
				return
			}
		}
	}
}

// output is the row of what a router port sends.
func (m linkMeter) output(p int) record.Link {
	port := m.plan.fabric.Graph.Ports[p]
	row := m.row(p, record.Between, m.port(p))
	if port.NIC != topology.Unconnected {
		row.Kind, row.NIC = record.Ejection, port.NIC
	} else {
		row.ToRouter = m.plan.fabric.Graph.Ports[port.Peer].Router
	}
	return row
}

// injection is the row of what a NIC sends.
func (m linkMeter) injection(nic int) record.Link {
	p := int(m.plan.fabric.Graph.NICPort[nic])
	row := m.row(p, record.Injection, m.nic(nic))
	row.NIC, row.ToRouter = int32(nic), row.Router
	return row
}

func (m linkMeter) row(p int, kind string, use fabric.PortUse) record.Link {
	spec := m.plan.fabric
	port := spec.Graph.Ports[p]
	local := p - int(spec.Graph.PortBase[port.Router])
	row := record.Link{
		Kind: kind, Router: port.Router, Port: int32(local), ToRouter: -1, NIC: -1,
		Packets: int64(use.Packets), Bytes: int64(use.Bytes),
		Latency: spec.Links[port.Link].Latency, Capacity: spec.Links[port.Link].Bandwidth,
	}
	if m.seconds > 0 {
		link := spec.Links[port.Link].Bandwidth
		serving := link // a router's port is busy for as long as its crossbar takes
		if kind != record.Injection {
			serving = min(serving, spec.Router.Bandwidth)
		}
		row.Bandwidth = float64(use.Bytes) / m.seconds
		row.Efficiency = row.Bandwidth / float64(link)
		row.Busy = row.Bandwidth / float64(serving)
	}
	return row
}

// named adds where the link is in the words of the topology.
func (m linkMeter) named(row record.Link) record.Link {
	row.RouterName = m.plan.topology.RouterName(int(row.Router))
	row.PortName = m.plan.topology.PortName(int(row.Router), int(row.Port))
	g := m.plan.fabric.Graph
	row.Class = m.plan.classes[g.Ports[int(g.PortBase[row.Router])+int(row.Port)].Link]
	row.Dimension, row.Level = dimensionAndLevel(m.plan.topology, int(row.Router), int(row.Port))
	return row
}

// usage sums up the links between routers, and those of NICs.
func (m linkMeter) usage() (routers, hosts LinkUsage) {
	var busiestRouter, busiestHost record.Link
	for p, port := range m.plan.fabric.Graph.Ports {
		switch {
		case port.NIC != topology.Unconnected:
			hosts.addUsed(m.port(p), &busiestHost, m.output, p)
		case port.Peer != topology.Unconnected:
			routers.addUsed(m.port(p), &busiestRouter, m.output, p)
		}
	}
	for nic := range m.plan.fabric.Graph.NICPort {
		hosts.addUsed(m.nic(nic), &busiestHost, m.injection, nic)
	}
	routers.finish(m, busiestRouter)
	hosts.finish(m, busiestHost)
	return routers, hosts
}

// addUsed counts a link, and makes its row only if there is something in it: of most networks most links are idle.
func (u *LinkUsage) addUsed(use fabric.PortUse, busiest *record.Link, row func(int) record.Link, number int) {
	if use.Bytes == 0 && u.Count > 0 {
		u.Count++
		return
	}
	u.add(row(number), busiest)
}

// add counts a link. The sums of floating-point numbers stay in the order of
// links, so they do not depend on the workers.
func (u *LinkUsage) add(row record.Link, busiest *record.Link) {
	if u.Count == 0 || row.Bytes > busiest.Bytes {
		*busiest = row
	}
	u.Count++
	u.Bytes += row.Bytes
	u.MeanBandwidth += row.Bandwidth
	u.MeanEfficiency += row.Efficiency
}

// finish turns sums into means and tells where the busiest link is.
func (u *LinkUsage) finish(m linkMeter, busiest record.Link) {
	if u.Count == 0 {
		return
	}
	busiest = m.named(busiest)
	u.MeanBandwidth /= float64(u.Count)
	u.MeanEfficiency /= float64(u.Count)
	u.MaxBandwidth = busiest.Bandwidth
	u.MaxEfficiency = busiest.Efficiency
	u.Busiest = busiest.Where()
}

// classes tells of the links between routers by class; nothing if all are of one.
func (m linkMeter) classes() []ClassUsage {
	g := m.plan.fabric.Graph
	if !severalClasses(g) {
		return nil
	}
	list := make([]ClassUsage, len(m.plan.classes))
	for row := range m.unnamed() {
		if row.Kind == record.Between {
			list[g.Ports[g.PortBase[row.Router]+row.Port].Link].add(row.Efficiency)
		}
	}
	for i, name := range m.plan.classes {
		list[i].Class = name
		list[i].MeanEfficiency /= float64(max(1, list[i].Count))
	}
	return slices.DeleteFunc(list, func(u ClassUsage) bool { return u.Count == 0 })
}

// severalClasses tells whether the links between routers are of more than one class.
func severalClasses(g *topology.Graph) bool {
	first := -1
	for _, port := range g.Ports {
		if port.NIC != topology.Unconnected || port.Peer == topology.Unconnected {
			continue
		}
		if first < 0 {
			first = int(port.Link)
		}
		if int(port.Link) != first {
			return true
		}
	}
	return false
}

func (u *ClassUsage) add(efficiency float64) {
	if u.Count == 0 {
		u.MinEfficiency = efficiency
	}
	u.Count++
	u.MinEfficiency = min(u.MinEfficiency, efficiency)
	u.MaxEfficiency = max(u.MaxEfficiency, efficiency)
	u.MeanEfficiency += efficiency
}
