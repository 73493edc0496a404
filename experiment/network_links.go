package experiment

import (
	"maps"
	"math/bits"
	"slices"
	"strings"

	"fabricast/internal/netfile"
	"fabricast/internal/units"
	"fabricast/topology"
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

// Class returns the bandwidth and latency of a class of links, and the entries of network.links that
// were used for them. Later ones override earlier ones: network.link (or network.host_link), the
// network's file, the entries of the parts of the network that the class belongs to ("outer" for
// "outer/x"), and the entry of the class itself.
func (e *Experiment) Class(class string) (link Link, entries []string) {
	link = e.plain(class)
	if cable, ok := e.network.cables[class]; ok {
		link = Over(cable, link)
	}
	for end := 1; end <= len(class); end++ {
		if end < len(class) && class[end] != '/' {
			continue
		}
		name := class[:end]
		if _, ok := e.Network.Links[name]; ok {
			entries = append(entries, name)
			link = e.Entry(name, link)
		}
	}
	return link, entries
}

// plain returns what the links of a class are like as far as neither a file nor network.links says.
func (e *Experiment) plain(class string) Link {
	if topology.OfHosts(class) {
		return e.Network.HostLink
	}
	return e.Network.Link
}

// kindsOfLinks returns the different links that the network may have, as far as this is known before
// it is laid out: of its classes, and of single links.
func (e *Experiment) kindsOfLinks() []Link {
	list := []Link{e.Network.Link}
	add := func(class string) {
		link, _ := e.Class(class)
		list = append(list, link)
	}
	add(topology.HostLinks)
	for _, class := range slices.Sorted(maps.Keys(e.network.cables)) {
		add(class)
	}
	classes := len(list)
	for _, name := range e.LinkNames() {
		if !e.single(name) {
			add(name)
			classes++
		}
	}
	for _, name := range e.LinkNames() {
		if e.single(name) { // of which class it is depends on the network
			for _, of := range list[:classes] {
				list = append(list, e.Entry(name, of))
			}
		}
	}
	return list
}

// single reports whether an entry of network.links may be of single links: those between two routers,
// or of some hosts.
func (e *Experiment) single(name string) bool {
	_, class := e.network.cables[name]
	_, hosts := NamedHosts(name)
	return !class && (hosts || strings.Contains(name, "-"))
}

// NamedHosts returns which hosts an entry of network.links may be of: what follows "host/" in its name.
func NamedHosts(name string) (hosts string, ok bool) {
	return strings.CutPrefix(name, topology.HostLinks+"/")
}

// fastest returns the bandwidth (bytes/s) of the fastest links of the network, host links included.
func (e *Experiment) fastest() units.Rate {
	rate := units.Rate(0)
	for _, link := range e.kindsOfLinks() {
		rate = max(rate, link.Bandwidth)
	}
	return rate
}

// roundTrip returns the size (bytes) of a buffer with which one virtual channel can fill any link of
// the network: what it carries until the credit of a packet is back, and a packet more for each end,
// in whole packets. It is maxBuffer at most.
func (e *Experiment) roundTrip() units.Bytes {
	n, most := &e.Network, units.Bytes(0)
	mtu := max(1, min(n.Packet.MTU, maxMTU))
	for _, link := range e.kindsOfLinks() {
		rate := min(link.Bandwidth, n.Router.Bandwidth)
		delay := n.Router.Delay() + 2*link.Latency
		most = max(most, carried(rate, delay)+2*mtu)
	}
	return min((most+mtu-1)/mtu*mtu, maxBuffer/mtu*mtu)
}

// carried returns how many bytes a link of the given rate (bytes/s) carries in a time, rounded up;
// maxBuffer if it is more than that, and 0 if either is not positive.
func carried(rate units.Rate, time units.Time) units.Bytes {
	if rate <= 0 || time <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(rate), uint64(time))
	if hi >= uint64(units.Second) {
		return maxBuffer
	}
	bytes, rest := bits.Div64(hi, lo, uint64(units.Second))
	if rest > 0 {
		bytes++
	}
	return units.Bytes(min(bytes, uint64(maxBuffer)))
}

// links checks the values in network.links and in a network file. Names are checked when the
// network is built.
func (v *validator) links() {
	for _, name := range v.e.LinkNames() {
		v.entry("network.links."+name, name)
	}
	for _, class := range slices.Sorted(maps.Keys(v.e.network.cables)) {
		l := Over(v.e.network.cables[class], v.e.plain(class))
		v.link("network.topology.file", l)
		v.packetTime("network.topology.file", l.Bandwidth)
		if !topology.OfHosts(class) {
			v.hop("network.topology.file", l)
		}
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
		if !topology.OfHosts(name) {
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
