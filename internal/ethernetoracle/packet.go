package ethernetoracle

import "fabricast/ethernet/control"

// packetKind says what a packet is.
type packetKind int

// These numbers take part in what is drawn.
const (
	data packetKind = iota
	acknowledgement
	refusal // of a packet that was cut, or of one that is missing
	grant   // credit
	request // for credit
	notification
)

// packet is a packet. All packets of a flow, in either direction, have its number.
type packet struct {
	kind     packetKind
	src, dst int // NICs
	flow     int
	class    int // of data
	psn      int // of data; otherwise of the packet that it is about
	size     int64
	entropy  uint16
	times    int // how often it had been sent before; of replies: of the packet that they are about
	sent     int64

	marked, cut, cutAtLastHop bool
	broken                    bool // its link went down while it was sent, or after that
	rerouted                  bool // a router led it another way than without faults
	answer                    bool // it asks for an acknowledgement
	ingress                   int  // port of the switch through which it came in
	hops                      []control.Hop
	wanted                    int64 // of data and requests: the credit asked for (quanta)
	credit                    int64 // of grants (quanta)
	report                    report

	message int // that it belongs to, or is about
	life        // of packets with payload
}

// report is what an acknowledgement or refusal tells of what the receiver has.
type report struct {
	upTo    int   // the first packet that is missing
	bytes   int64 // on the wire, each packet once
	arrived []int // other packets of which it tells
}

// hasPayload reports whether a packet has payload.
func (p *packet) hasPayload() bool { return p.kind == data && !p.cut }

// sizes returns the sum of the sizes of packets.
func sizes(list []*packet) (sum int64) {
	for _, p := range list {
		sum += p.size
	}
	return sum
}
