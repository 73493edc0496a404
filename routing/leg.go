package routing

// leg is routing from router to router by shortest ways (those that a topology
// calls minimal), the part of which most algorithms are made: alone (Direct), two
// of them with a router in between (Valiant, UGAL), or as the escape network of an
// adaptive algorithm. It depends on where a packet is and where it goes,
// not on where it came from, so it can be taken up anywhere.
//
// Each hop has a class. If packets keep to channels of these classes, a leg by
// itself is free of deadlock.
type leg interface {
	// next is the hop of packets of a flow. It is called with at != to.
	next(at, to int32, flow uint64) hop
	// ways appends every hop that next may yield for any flow, as candidates with
	// the class in place of the channel.
	ways(at, to int32, list []Candidate) []Candidate
	// distance is the number of hops that next takes.
	distance(at, to int32) int
	// classes is the number of classes.
	classes() int
}

// hop is one step of a route.
type hop struct {
	port  uint16 // local output port
	class uint16 // of the virtual channels on it
}

// way is a hop as a candidate.
func (h hop) way() Candidate { return Candidate{Port: h.port, VC: h.class} }

// hop is a candidate as a hop.
func (c Candidate) hop() hop { return hop{c.Port, c.VC} }
