// Package legs finds the next hops from one router to another: minimal routes on each topology, and
// shortest routes by tables. Each topology is a file, which registers its leg.
package legs

import (
	"fmt"
	"reflect"
	"sync"

	"fabricast/topology"
)

// Leg is minimal routing from router to router, from which most algorithms are made: alone
// (Direct), two of them with an intermediate router (Valiant, UGAL), or as the escape network of an
// adaptive algorithm. It depends on where a packet is and where it goes, not on where it came from,
// so a route may change to it anywhere.
//
// Each hop has a channel class. If packets keep to channels of these classes, a leg by itself is
// free of deadlock.
type Leg interface {
	// Next returns the next hop of a flow's packets from router at to router to, which must differ.
	Next(at, to int32, flow uint64) Hop
	// Ways appends every hop that Next may return for any flow, as candidates whose VC field holds
	// the channel class.
	Ways(at, to int32, list []Candidate) []Candidate
	// Distance returns the number of hops that Next takes from router at to router to.
	Distance(at, to int32) int
	// Classes returns the number of channel classes.
	Classes() int
}

// Hop is one step of a route.
type Hop struct {
	Port  uint16 // local output port
	Class uint16 // of the virtual channels on it
}

// Way returns the hop as a Candidate, with the channel class in VC.
func (h Hop) Way() Candidate { return Candidate{Port: h.Port, VC: h.Class} }

// HopOf returns a candidate made by Hop.Way as a hop again.
func HopOf(c Candidate) Hop { return Hop{c.Port, c.VC} }

// RowLeg is a leg whose next hops are consecutive ports of one channel class.
type RowLeg interface {
	Leg
	// Onward returns the ports by which packets may go on, n of them from first, and their class.
	Onward(at, to int32) (first, n uint32, class uint16)
}

// inRow appends the hops of a RowLeg.
func inRow(first, n uint32, class uint16, list []Candidate) []Candidate {
	for i := range n {
		list = append(list, Candidate{Port: uint16(first + i), VC: class})
	}
	return list
}

// AdaptiveLeg is a leg with several next hops from which an adaptive algorithm may choose.
type AdaptiveLeg interface {
	Leg
	// Productive appends all hops that bring a packet at router at nearer to router to.
	Productive(at, to int32, list []Candidate) []Candidate
	// Ports returns the ports of these hops as a bitmap; 0 if the router has more than 64 ports.
	Ports(at, to int32) uint64
}

// Ends says at which routers the routes of a leg may begin and end.
type Ends uint8

const (
	// HostedEnds are the routers with hosts.
	HostedEnds Ends = iota
	// AnyEnds are all routers.
	AnyEnds
)

// legs holds the minimal routing of each type of topology that has one of its own.
var legs = map[reflect.Type]func(t topology.Topology, between Ends) (Leg, error){}

// register adds the minimal routing of a type of topology. It stands in the leg's file.
func register[T topology.Topology](of func(t T, between Ends) (Leg, error)) struct{} {
	legs[reflect.TypeFor[T]()] = func(t topology.Topology, between Ends) (Leg, error) {
		return of(t.(T), between)
	}
	return struct{}{}
}

// New returns the minimal routing of a topology between some of its routers. For a topology
// without a known structure it uses tables of shortest paths, with a channel class for each hop.
func New(t topology.Topology, between Ends) (Leg, error) {
	if of := legs[reflect.TypeOf(t)]; of != nil {
		return of(t, between)
	}
	return NewTable(t.Graph(), true, between)
}

// waysRoom is a pool of buffers for lists of hops, so that no packet allocates one.
var waysRoom = sync.Pool{New: func() any { return new([]Candidate) }}

// GoesRound returns the message for a panic: a route that should visit each router at most once did
// not end at its destination, which is a fault of the leg.
func GoesRound(from, to int32) string {
	return fmt.Sprintf("routing: the way from router %d to router %d goes round", from, to)
}

// After returns the router at the other end of a router's port.
func After(g *topology.Graph, router int32, port uint16) int32 {
	return g.Ports[g.Ports[g.PortBase[router]+int32(port)].Peer].Router
}
