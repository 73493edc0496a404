package plan

import (
	"fmt"
	"math/bits"

	"fabricast/experiment"
	"fabricast/internal/units"
	"fabricast/topology"
)

// bitErrors returns the rate of bit errors (2^-64 a bit) in the direction out of each port; nil if no link
// has any.
func bitErrors(e *experiment.Resolved, t topology.Topology) ([]uint64, error) {
	b, g := &e.Faults.BitErrors, t.Graph()
	if !b.Given() {
		return nil, nil
	}
	tooMany := func(path string, rate units.ErrorRate) error {
		if over, _ := bits.Mul64(rate.Binary(), 8*uint64(e.Network.Packet.MTU)); over == 0 {
			return nil
		}
		return e.Refuse(path, rate.String(), "fewer than one wrong bit in a packet of network.packet.mtu in the mean", "")
	}
	if err := tooMany("faults.bit_errors.rate", b.Rate); err != nil {
		return nil, err
	}
	rates := make([]uint64, len(g.Ports))
	for port := range g.Ports {
		if g.Ports[port].Peer != topology.Unconnected {
			rates[port] = b.Rate.Binary()
		}
	}
	named := map[int32]int{}
	for i := range b.Links {
		l, path := &b.Links[i], fmt.Sprintf("faults.bit_errors.links[%d]", i)
		var o Outage
		refuse := func(field, found, expected, hint string) error {
			return e.Refuse(path+"."+field, found, expected, hint)
		}
		if err := o.addLinks(t, &experiment.Fault{Link: l.Link}, refuse); err != nil {
			return nil, err
		}
		if err := tooMany(path+".rate", l.Rate); err != nil {
			return nil, err
		}
		for _, port := range o.ports {
			if before, twice := named[port]; twice && before != i {
				return nil, refuse("link", l.Link, "one rate for each direction of a link", "it is also in "+b.Links[before].Link)
			}
			named[port], rates[port] = i, l.Rate.Binary()
		}
	}
	return rates, nil
}
