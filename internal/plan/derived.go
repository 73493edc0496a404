package plan

import (
	"math/bits"

	"fabricast/internal/units"
)

// PortRate returns the bandwidth at which a router sends over a link of the given class: the lower
// of the link's and the crossbar's bandwidth, in bytes/s.
func (p *Plan) PortRate(class uint16) units.Rate {
	return units.Rate(min(int64(p.Fabric.Links[class].Bandwidth), int64(p.Fabric.Router.Bandwidth)))
}

// EndRate returns the highest bandwidth (bytes/s) that a packet can have between two NICs: that of
// the fastest host link or that of the crossbars, whichever is lower.
func (p *Plan) EndRate() units.Rate {
	fastest := units.Rate(0)
	for _, link := range p.Fabric.HostLinks() {
		fastest = max(fastest, link.Bandwidth)
	}
	return min(fastest, p.Fabric.Router.Bandwidth)
}

// CreditRoundTrip returns the time (ps) from the moment a router starts to send a packet until the
// packet's credit is back. The link is of the given class; the packet has wire bytes, headers
// included, and is sent at rate bytes/s.
func (p *Plan) CreditRoundTrip(class uint16, wire units.Bytes, rate units.Rate) units.Time {
	return TransferTime(wire, rate) + p.Experiment.RouterDelay() + 2*p.Fabric.Links[class].Latency
}

// TransferTime returns the time (ps) that n bytes take at r bytes/s, rounded down.
func TransferTime(n units.Bytes, r units.Rate) units.Time {
	hi, lo := bits.Mul64(uint64(n), uint64(units.Second))
	ps, _ := bits.Div64(hi, lo, uint64(r))
	return units.Time(ps)
}
