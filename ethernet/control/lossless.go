package control

import (
	"fabricast/fabric/model"
	"fabricast/internal/units"
	"fabricast/topology"
)

// Lossless is an algorithm for a network in which packets wait for credits: what it adds to routers
// and NICs. It is immutable; its state is in words of these. A flow is all packets from one NIC to
// another.
type Lossless struct {
	Hooks    *model.Hooks
	Injector *model.Injector
}

// EthernetKinds returns the algorithms for networks that drop or pause packets.
func EthernetKinds() (list []*Kind) {
	for _, k := range Kinds() {
		if k.create != nil {
			list = append(list, k)
		}
	}
	return list
}

// LosslessKinds returns the algorithms for networks in which packets wait for credits.
func LosslessKinds() (list []*Kind) {
	for _, k := range Kinds() {
		if k.Lossless() {
			list = append(list, k)
		}
	}
	return list
}

// Lossless reports whether the algorithm is for networks in which packets wait for credits.
func (k *Kind) Lossless() bool { return k.enter != nil }

// MakeLossless creates the algorithm that options describe for a network. There must be a kind of
// them that is Lossless.
func MakeLossless(s Spec, network *model.Spec) *Lossless {
	k := KindOf(s)
	return k.enter(k.Copy(s), network)
}

// ends answers questions about the ports at the ends of a network's flows.
type ends struct {
	graph *topology.Graph
	links []model.Link
	flit  int64 // bytes
}

func endsOf(s *model.Spec) ends { return ends{s.Graph, s.Links, s.Packet.Flit} }

// hasNIC reports whether a NIC is at a port of a router.
func (e *ends) hasNIC(router int32, port uint16) bool {
	return e.graph.Ports[e.graph.PortBase[router]+int32(port)].NIC != topology.Unconnected
}

// took returns how long flits take on the link of a NIC (ps, rounded down).
func (e *ends) took(nic int32, flits int64) int64 {
	link := &e.links[e.graph.Ports[e.graph.NICPort[nic]].Link]
	return units.MulDiv(flits*e.flit, 1e12, int64(link.Bandwidth))
}

// flitsIn returns the number of flits of a size, rounded up.
func (e *ends) flitsIn(size units.Bytes) int64 { return (int64(size) + e.flit - 1) / e.flit }
