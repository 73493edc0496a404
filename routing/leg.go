package routing

import (
	"fmt"
	"reflect"
	"sync"

	"fabricast/topology"
)

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

// hopOf returns a candidate made by hop.way as a hop again.
func hopOf(c Candidate) hop { return hop{c.Port, c.VC} }

// rowLeg is a leg whose next hops are consecutive ports of one channel class.
type rowLeg interface {
	leg
	// onward returns the ports by which packets may go on, n of them from first, and their class.
	onward(at, to int32) (first, n uint32, class uint16)
}

// adaptiveLeg is a leg with several next hops from which an adaptive algorithm may choose.
type adaptiveLeg interface {
	leg
	// productive appends all hops that bring a packet at router at nearer to router to.
	productive(at, to int32, list []Candidate) []Candidate
	// ports returns the ports of these hops as a bitmap; 0 if the router has more than 64 ports.
	ports(at, to int32) uint64
}

// ends says at which routers the routes of a leg may begin and end.
type ends uint8

const (
	// hostedEnds are the routers with hosts.
	hostedEnds ends = iota
	// anyEnds are all routers.
	anyEnds
)

// legs holds the minimal routing of each type of topology that has one of its own.
var legs = map[reflect.Type]func(t topology.Topology, between ends) (leg, error){}

// registerLeg adds the minimal routing of a type of topology. It stands in the leg's file.
func registerLeg[T topology.Topology](of func(t T, between ends) (leg, error)) struct{} {
	legs[reflect.TypeFor[T]()] = func(t topology.Topology, between ends) (leg, error) {
		return of(t.(T), between)
	}
	return struct{}{}
}

// newLeg returns the minimal routing of a topology between some of its routers. For a topology
// without a known structure it uses tables of shortest paths, with a channel class for each hop.
func newLeg(t topology.Topology, between ends) (leg, error) {
	if of := legs[reflect.TypeOf(t)]; of != nil {
		return of(t, between)
	}
	return newTableLeg(t.Graph(), true, between)
}

// waysRoom is a pool of buffers for lists of hops, so that no packet allocates one.
var waysRoom = sync.Pool{New: func() any { return new([]Candidate) }}

// goesRound returns the message for a panic: a route that should visit each router at most once did
// not end at its destination, which is a fault of the leg.
func goesRound(from, to int32) string {
	return fmt.Sprintf("routing: the way from router %d to router %d goes round", from, to)
}

// after returns the router at the other end of a router's port.
func after(g *topology.Graph, router int32, port uint16) int32 {
	return g.Ports[g.Ports[g.PortBase[router]+int32(port)].Peer].Router
}
