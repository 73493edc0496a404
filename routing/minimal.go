package routing

import "fabricast/topology"

// newLeg is the minimal routing of a topology; by tables, with a class for each
// hop, if it has no structure that is known here.
func newLeg(t topology.Topology) (leg, error) {
	switch t := t.(type) {
	case *topology.Torus:
		return newTorusLeg(t)
	case *topology.HyperX:
		return newHyperXLeg(t), nil
	case *topology.Full:
		return newHyperXLeg(t.HyperX), nil
	case *topology.XGFT:
		return newTreeLeg(t, false), nil
	case *topology.Dragonfly:
		return newDragonflyLeg(t), nil
	case *topology.DragonflyPlus:
		return newDragonflyPlusLeg(t), nil
	case *topology.Hierarchy:
		return newHierarchyLeg(t)
	case *topology.SlimFly:
		return newSlimFlyLeg(t), nil
	}
	return newTableLeg(t.Graph(), true)
}

// Choice says how a packet chooses among equal ways, and among the virtual channels of a class.
type Choice uint8

const (
	// ChoiceFlow takes the same ones for all packets of a pair of hosts, by a hash, so they never overtake one another.
	ChoiceFlow Choice = iota
	// ChoicePacket draws for every packet.
	ChoicePacket
	// ChoiceQueue takes at every router the channel with the shortest queue.
	ChoiceQueue
)

// NewMinimal returns the minimal routing of a topology: dimension order on a
// torus, mesh, HyperX or fully connected network, nearest common ancestors on a
// tree, over one global link on dragonflies, level by level on hierarchies, shortest paths with a channel
// class for each hop on a Slim Fly and everywhere else. It is a Function, with
// ChoicePacket a Randomized, with ChoiceQueue an Adaptive.
func NewMinimal(t topology.Topology, name string, vcs int, c Choice) (any, error) {
	l, err := newLeg(t)
	if err != nil {
		return nil, err
	}
	d, err := newDirect(t.Graph(), name, l, vcs, flowPair)
	if err != nil {
		return nil, err
	}
	return d.choosing(c), nil
}

func (d *Direct) choosing(c Choice) any {
	switch c {
	case ChoicePacket:
		return Scattered{d}
	case ChoiceQueue:
		return Spreading{d}
	}
	return d
}
