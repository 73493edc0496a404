package routing

// leg is minimal routing from router to router, from which most algorithms are made: alone
// (Direct), two of them with an intermediate router (Valiant, UGAL), or as the escape network of an
// adaptive algorithm. It depends on where a packet is and where it goes, not on where it came from,
// so a route may change to it anywhere.
//
// Each hop has a channel class. If packets keep to channels of these classes, a leg by itself is
// free of deadlock.
type leg interface {
	// next returns the next hop of a flow's packets from router at to router to, which must differ.
	next(at, to int32, flow uint64) hop
	// ways appends every hop that next may return for any flow, as candidates whose VC field holds
	// the channel class.
	ways(at, to int32, list []Candidate) []Candidate
	// distance returns the number of hops that next takes from router at to router to.
	distance(at, to int32) int
	// classes returns the number of channel classes.
	classes() int
}

// hop is one step of a route.
type hop struct {
	port  uint16 // local output port
	class uint16 // of the virtual channels on it
}

// way returns the hop as a Candidate, with the channel class in VC.
func (h hop) way() Candidate { return Candidate{Port: h.port, VC: h.class} }

// hop returns a candidate made by hop.way as a hop again.
func (c Candidate) hop() hop { return hop{c.Port, c.VC} }
