package plan

import (
	"cmp"
	"errors"
	"fmt"

	"fabricast/ethernet"
	"fabricast/ethernet/control"
	"fabricast/ethernet/paths"
	"fabricast/experiment"
	"fabricast/internal/units"
)

// headersInRow is how many packets without payload a port sends in a row while others wait: so many
// that they hardly wait for these, and few enough that a port never sends headers alone.
const headersInRow = 100

// dataRatio: of so many packets that a NIC sends while packets of both kinds wait, one has payload.
const dataRatio = 11

// quantum is the unit of credit (bytes).
const quantum = 256

// nackEvery is the least time (ps) between two requests to go back to the same packet.
const nackEvery = 500_000_000

// Ethernet returns the network of a plan whose routers drop or pause packets.
func (p *Plan) Ethernet() ethernet.Spec {
	e := p.Experiment
	n, t := &e.Network, &e.Node.Transport
	r := &n.Router
	s := ethernet.Spec{
		Graph: p.Fabric.Graph, Links: p.Fabric.Links, Seed: e.Seed, Cut: p.Fabric.Cut,
		BitErrors: p.BitErrors, Changes: p.changes.changes, Epochs: p.changes.epochs,
		Packet: ethernet.Packet{
			MTU: int64(n.Packet.MTU), Header: int64(n.Packet.Header), Control: int64(t.AckSize),
		},
		Switch: ethernet.Switch{
			Latency: int64(r.Routing + r.VCAllocation + r.SwitchAllocation + r.SwitchTraversal + r.Latency),
			Queue:   int64(r.Queue), Trims: r.Trimming, HeadersInRow: headersInRow,
			Scaled: r.ScaledQueues,
		},
		NIC: ethernet.NIC{
			Control: control.Make(t.Control), Paths: paths.Make(t.Paths), Timeout: int64(t.LongestWait()),
			AckEvery: max(1, int64(t.AckEvery)), NackEvery: nackEvery, QueuePairs: t.QueuePairs, DataRatio: dataRatio,
			Credit: ethernet.Credit{
				Quantum: quantum, Grant: int64(t.Credit.Grant), Share: t.Credit.Rate.Float(),
				Initial: int64(t.Credit.Initial),
			},
		},
	}
	if t.Retransmission == experiment.RetransmissionGoBackN {
		s.NIC.Retransmission = ethernet.GoBackN
	}
	if t.Retransmission == experiment.RetransmissionNone {
		s.NIC.Timeout = -1
	}
	s.Switch.ECN = marks(&r.ECN)
	if needs, ok := s.NIC.Control.(control.Requirer); ok && needs.Needs().Credit {
		s.Switch.ECN.LastHop = false // receivers know of the congestion of their own links
	}
	s.Switch.Shared = sharedBuffer(r)
	s.Switch.Classes = classesOf(r, n.Packet.MTU)
	return s
}

// QueuesOfPort returns how many buffers of each port bins have: one for each virtual channel; in networks
// that drop or pause packets one for each class, and one for packets without payload.
func (p *Plan) QueuesOfPort() int {
	if n := &p.Experiment.Network; n.Ethernet() {
		return max(1, len(n.Router.Classes)) + 1
	}
	return p.Fabric.Router.VCs
}

// marks returns what routers mark.
func marks(e *experiment.ECN) ethernet.ECN {
	if *e == (experiment.ECN{}) {
		return ethernet.ECN{}
	}
	return ethernet.ECN{
		On: true, Min: int64(e.Min), Max: int64(e.Max), Most: e.Probability.Float(),
		Dequeue: e.At == experiment.ECNDequeue, LastHop: true,
	}
}

// classesOf returns the classes of a router.
func classesOf(r *experiment.Router, mtu units.Bytes) (list []ethernet.Class) {
	for _, c := range r.Classes {
		class := ethernet.Class{
			Priority: c.Priority, Quantum: int64(max(c.Weight, 1)) * int64(mtu), Queue: int64(c.Queue), Alpha: c.Alpha,
		}
		if e := c.ECN; e.Max > 0 {
			class.MarkMin, class.MarkMax = int64(e.Min), int64(e.Max)
			class.MarkMost = cmp.Or(e.Probability, r.ECN.Probability).Float()
		}
		list = append(list, class)
	}
	return list
}

// sharedBuffer returns the buffer that the ports of a router share; nil if there is none.
func sharedBuffer(r *experiment.Router) *ethernet.Shared {
	if r.Shared.Size == 0 {
		return nil
	}
	return &ethernet.Shared{
		Size: int64(r.Shared.Size), Alpha: units.Fraction(r.Shared.Alpha), Reserve: int64(r.Shared.Reserve),
		Pauses: r.Buffers == experiment.BuffersPFC, Headroom: int64(r.Shared.Headroom), Resume: int64(r.Shared.Resume),
	}
}

// RefuseEthernet converts an error from creating the network of Ethernet to a configuration error.
func (p *Plan) RefuseEthernet(err error) error {
	var small *ethernet.BufferError
	if errors.As(err, &small) {
		return p.Experiment.Refuse(
			"network.router.shared.size", units.Bytes(small.Size).String(), "at least "+units.Bytes(small.Needed).String(),
			fmt.Sprintf("the reserves and headrooms of the ports of router %d, and a packet", small.Router),
		)
	}
	return p.Experiment.Refuse("network", "a network", "one that can be simulated", err.Error())
}

// flit returns the size (bytes) of which packets have whole multiples. Those of Ethernet have any size.
func flit(n *experiment.Network) int64 {
	if n.Ethernet() {
		return 1
	}
	return int64(n.Packet.Flit)
}
