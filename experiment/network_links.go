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

// says reports which fields the named entry of network.links sets.
func (e *Experiment) says(name string) (bandwidth, latency bool) {
	l, path := e.Network.Links[name], "network.links."+name
	bandwidth = l.Bandwidth != 0 || e.positions.Has(path+".bandwidth")
	latency = l.Latency != 0 || e.positions.Has(path+".latency")
	if e.positions == nil { // in Go, a zero latency next to a bandwidth is intended
		latency = latency || bandwidth
	}
	return bandwidth, latency
}

// Entry returns link with the fields that the named entry of network.links sets replaced.
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

// Class returns the bandwidth and latency of a link class, and the entries of network.links that
// were used for them. In order of increasing precedence, the sources are: network.link (or
// network.host_link), the network file, the entries of the parts of the network that the class
// belongs to ("outer" for "outer/x"), and the entry of the class itself.
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

// plain returns the parameters of a link class before network files and network.links are applied.
func (e *Experiment) plain(class string) Link {
	if topology.OfHosts(class) {
		return e.Network.HostLink
	}
	return e.Network.Link
}

// kindsOfLinks returns the different link parameters that the network may have, as far as known
// before it is built: those of its classes, and those of single links.
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
		if e.single(name) { // the class of a single link is not known yet
			for _, of := range list[:classes] {
				list = append(list, e.Entry(name, of))
			}
		}
	}
	return list
}

// single reports whether an entry of network.links may refer to single links: those between two
// routers, or those of some hosts.
func (e *Experiment) single(name string) bool {
	_, class := e.network.cables[name]
	_, hosts := NamedHosts(name)
	return !class && (hosts || strings.Contains(name, "-"))
}

// NamedHosts returns the part of an entry's name after "host/", which lists hosts. ok is false if
// the name does not start with "host/".
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

// roundTrip returns the buffer size, in bytes, with which one virtual channel can saturate any link
// of the network: the data that the link carries in a credit round trip, plus one packet for each
// end, rounded up to whole packets. It is at most maxBuffer.
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

// carried returns the number of bytes that a link of the given rate carries in the given time,
// rounded up. It is at most maxBuffer, and 0 if rate or time is not positive.
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

// links checks the values in network.links and in network files. Names are checked when the network
// is built.
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

// entry checks the fields set by an entry of network.links.
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

// Over returns l with the fields that a network file sets for a cable replaced.
func Over(c netfile.Cable, l Link) Link {
	if c.Bandwidth != nil {
		l.Bandwidth = *c.Bandwidth
	}
	if c.Latency != nil {
		l.Latency = *c.Latency
	}
	return l
}
