package meter

import (
	"iter"
	"slices"

	"fabricast/fabric"
	"fabricast/internal/plan"
	"fabricast/internal/units"
	"fabricast/record"
	"fabricast/topology"
)

// Links computes the bandwidth and utilization of links from byte counts and busy times.
type Links struct {
	Plan      *plan.Plan
	Port, NIC func(int) fabric.PortUse // transmit counters of a router's port, and of a NIC
	Seconds   float64                  // simulated time during which the counters counted
}

// LinkUsage summarizes the links of one kind. A link's measured bandwidth is the number of bytes
// that it carried divided by the simulated time. Its utilization is the measured bandwidth divided
// by the link's own bandwidth.
type LinkUsage struct {
	Count           int     `json:"count"` // each direction counts
	Bytes           int64   `json:"bytes"`
	MeanBandwidth   float64 `json:"mean_bytes_per_s"`
	MaxBandwidth    float64 `json:"max_bytes_per_s"`
	MeanUtilization float64 `json:"mean_utilization"`
	MaxUtilization  float64 `json:"max_utilization"`
	Busiest         string  `json:"busiest"` // start of the link with the most bytes
}

// ClassUsage summarizes the utilization of the links of one class.
type ClassUsage struct {
	Class           string  `json:"class"` // as in Network.Links
	Count           int     `json:"count"` // each direction counts
	MinUtilization  float64 `json:"min_utilization"`
	MeanUtilization float64 `json:"mean_utilization"`
	MaxUtilization  float64 `json:"max_utilization"`
}

// Rows yields a row for each direction of every link: first for the output of each router port,
// then for the injection of each NIC.
func (m Links) Rows() iter.Seq[record.Link] {
	return func(yield func(record.Link) bool) {
		number := int32(0)
		next := func(row record.Link) bool {
			row.Link = number
			number++
			return yield(m.Named(row))
		}
		g := m.Plan.Fabric.Graph
		for p, port := range g.Ports {
			used := port.Peer != topology.Unconnected || port.NIC != topology.Unconnected
			if used && !next(m.Output(p)) {
				return
			}
		}
		for nic := range g.NICPort {
			if !next(m.injection(nic)) {
				return
			}
		}
	}
}

// Output returns the row for the output of router port p.
func (m Links) Output(p int) record.Link {
	port := m.Plan.Fabric.Graph.Ports[p]
	row := m.row(p, record.Between, m.Port(p))
	if port.NIC != topology.Unconnected {
		row.Kind, row.NIC = record.Ejection, port.NIC
	} else {
		row.ToRouter = m.Plan.Fabric.Graph.Ports[port.Peer].Router
	}
	return row
}

// injection returns the row for the injection of a NIC.
func (m Links) injection(nic int) record.Link {
	p := int(m.Plan.Fabric.Graph.NICPort[nic])
	row := m.row(p, record.Injection, m.NIC(nic))
	row.NIC, row.ToRouter = int32(nic), row.Router
	return row
}

func (m Links) row(p int, kind string, use fabric.PortUse) record.Link {
	spec := m.Plan.Fabric
	port := spec.Graph.Ports[p]
	local := p - int(spec.Graph.PortBase[port.Router])
	row := record.Link{
		Kind: kind, Router: port.Router, Port: int32(local), ToRouter: -1, NIC: -1,
		Packets: int64(use.Packets), Bytes: int64(use.Bytes),
		Latency: int64(spec.Links[port.Link].Latency), Capacity: int64(spec.Links[port.Link].Bandwidth),
	}
	if m.Seconds > 0 {
		serving := spec.Links[port.Link].Bandwidth // a port is busy while its crossbar transfers
		if kind != record.Injection {
			serving = m.Plan.PortRate(port.Link)
		}
		row.Bandwidth, row.Utilization = m.rate(use, port.Link)
		row.Busy = utilizationOf(serving, row.Bandwidth)
	}
	return row
}

// Named completes a row with the names of router, port and class, and with the position in the
// topology.
func (m Links) Named(row record.Link) record.Link {
	row.RouterName = m.Plan.Topology.RouterName(int(row.Router))
	row.PortName = m.Plan.Topology.PortName(int(row.Router), int(row.Port))
	g := m.Plan.Fabric.Graph
	row.Class = m.Plan.Classes[g.Ports[int(g.PortBase[row.Router])+int(row.Port)].Link]
	row.Dimension, row.Level = dimensionAndLevel(m.Plan.Topology, int(row.Router), int(row.Port))
	return row
}

// Usage summarizes the links between routers, and the links of NICs.
func (m Links) Usage() (routers, hosts LinkUsage) {
	var busiestRouter, busiestHost busiest
	g := m.Plan.Fabric.Graph
	for p := range g.Ports {
		switch port := &g.Ports[p]; {
		case port.NIC != topology.Unconnected:
			hosts.add(m, m.Port(p), port.Link, &busiestHost, p)
		case port.Peer != topology.Unconnected:
			routers.add(m, m.Port(p), port.Link, &busiestRouter, p)
		}
	}
	for nic, p := range g.NICPort {
		hosts.add(m, m.NIC(nic), g.Ports[p].Link, &busiestHost, ^nic)
	}
	routers.finish(m, busiestRouter)
	hosts.finish(m, busiestHost)
	return routers, hosts
}

// busiest is the link that has carried the most bytes so far. number is its port, or the complement
// of its NIC's number. Its row is computed at the end, because computing the rows of all links is
// expensive.
type busiest struct {
	bytes  uint64
	number int
}

// row returns the row of the link.
func (b busiest) row(m Links) record.Link {
	if b.number < 0 {
		return m.injection(^b.number)
	}
	return m.Output(b.number)
}

// add adds a link of the given class. Links must be added in a fixed order, so that floating-point
// sums do not depend on the number of workers.
func (u *LinkUsage) add(m Links, use fabric.PortUse, kind uint16, most *busiest, number int) {
	if u.Count == 0 || use.Bytes > most.bytes {
		*most = busiest{use.Bytes, number}
	}
	u.Count++
	u.Bytes += int64(use.Bytes)
	if use.Bytes != 0 {
		bandwidth, utilization := m.rate(use, kind)
		u.MeanBandwidth += bandwidth
		u.MeanUtilization += utilization
	}
}

// rate returns the bandwidth (bytes/s) used on a link of the given class, and its share of the
// link's bandwidth.
func (m Links) rate(use fabric.PortUse, kind uint16) (bandwidth, utilization float64) {
	if m.Seconds == 0 {
		return 0, 0
	}
	bandwidth = float64(use.Bytes) / m.Seconds
	return bandwidth, utilizationOf(m.Plan.Fabric.Links[kind].Bandwidth, bandwidth)
}

// utilizationOf returns used as a share of the bandwidth `all`. It returns 0 if `all` is 0, as in
// network models in which bytes take no time.
func utilizationOf(all units.Rate, used float64) float64 {
	if all == 0 {
		return 0
	}
	return used / float64(all)
}

// finish converts sums to means and sets the name of the busiest link.
func (u *LinkUsage) finish(m Links, most busiest) {
	if u.Count == 0 {
		return
	}
	busiest := m.Named(most.row(m))
	u.MeanBandwidth /= float64(u.Count)
	u.MeanUtilization /= float64(u.Count)
	u.MaxBandwidth = busiest.Bandwidth
	u.MaxUtilization = busiest.Utilization
	u.Busiest = busiest.Where()
}

// Classes summarizes the links between routers by class. It returns nil if there is only one class.
func (m Links) Classes() []ClassUsage {
	g := m.Plan.Fabric.Graph
	if !severalClasses(g) {
		return nil
	}
	list := make([]ClassUsage, len(m.Plan.Classes))
	for p := range g.Ports {
		if port := &g.Ports[p]; port.NIC == topology.Unconnected && port.Peer != topology.Unconnected {
			_, utilization := m.rate(m.Port(p), port.Link)
			list[port.Link].add(utilization)
		}
	}
	for i, name := range m.Plan.Classes {
		list[i].Class = name
		list[i].MeanUtilization /= float64(max(1, list[i].Count))
	}
	return slices.DeleteFunc(list, func(u ClassUsage) bool { return u.Count == 0 })
}

// severalClasses reports whether the links between routers have more than one class.
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

func (u *ClassUsage) add(utilization float64) {
	if u.Count == 0 {
		u.MinUtilization = utilization
	}
	u.Count++
	u.MinUtilization = min(u.MinUtilization, utilization)
	u.MaxUtilization = max(u.MaxUtilization, utilization)
	u.MeanUtilization += utilization
}
