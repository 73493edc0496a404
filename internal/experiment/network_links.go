package experiment

import (
	"maps"
	"slices"

	"fabricast/internal/netfile"
	"fabricast/internal/units"
)

// LinkNames lists the keys of network.links in ascending order.
func (e *Experiment) LinkNames() []string { return slices.Sorted(maps.Keys(e.Network.Links)) }

// says reports which fields an entry of network.links sets.
func (e *Experiment) says(name string) (bandwidth, latency bool) {
	l, path := e.Network.Links[name], "network.links."+name
	bandwidth = l.Bandwidth != 0 || e.positions.Has(path+".bandwidth")
	latency = l.Latency != 0 || e.positions.Has(path+".latency")
	if e.positions == nil { // made in Go, a zero latency beside a bandwidth is meant
		latency = latency || bandwidth
	}
	return bandwidth, latency
}

// Entry returns link with the fields replaced that an entry of network.links sets.
func (e *Experiment) Entry(name string, link Link) Link {
	bandwidth, latency := e.says(name)
	if bandwidth {
		link.Bandwidth = e.Network.Links[name].Bandwidth
	}
	if latency {
		link.Latency = e.Network.Links[name].Latency
	}
	return link
}

// fastest returns the bandwidth (bytes/s) of the fastest links between routers.
func (e *Experiment) fastest() units.Rate {
	rate := e.Network.Link.Bandwidth
	for _, name := range e.LinkNames() {
		if name != "host" {
			rate = max(rate, e.Network.Links[name].Bandwidth)
		}
	}
	for _, cable := range e.network.cables { // the order does not matter to the greatest
		if cable.Bandwidth != nil {
			rate = max(rate, *cable.Bandwidth)
		}
	}
	return rate
}

// links checks the values in network.links and in a network file. Names are checked when the
// network is built.
func (v *validator) links() {
	for _, name := range v.e.LinkNames() {
		v.entry("network.links."+name, name)
	}
	for _, class := range slices.Sorted(maps.Keys(v.e.network.cables)) {
		l := Over(v.e.network.cables[class], v.e.Network.Link)
		v.link("network.topology.file", l)
		v.packetTime("network.topology.file", l.Bandwidth)
		v.hop("network.topology.file", l)
	}
}

// entry checks the fields that an entry of network.links sets.
func (v *validator) entry(path, name string) {
	l := v.e.Network.Links[name]
	bandwidth, latency := v.e.says(name)
	if bandwidth {
		v.rate(path+".bandwidth", l.Bandwidth)
		v.packetTime(path+".bandwidth", l.Bandwidth)
	}
	if latency {
		v.delay(path+".latency", l.Latency)
		if name != "host" {
			v.hop(path+".latency", l)
		}
	}
}

// Over returns link with the fields replaced that a network file gives for a cable.
func Over(c netfile.Cable, l Link) Link {
	if c.Bandwidth != nil {
		l.Bandwidth = *c.Bandwidth
	}
	if c.Latency != nil {
		l.Latency = *c.Latency
	}
	return l
}
