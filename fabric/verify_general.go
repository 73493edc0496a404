package fabric

import (
	"fmt"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/stage"
	"fabricast/fabric/model"
)

// verifyGeneral implements verifyHere for the general path.
func (n *Network) verifyGeneral() (inside uint64, err error) {
	l := n.layout
	for number := range l.FirstNICVC + uint32(len(l.Spec.Graph.NICPort))*l.NumVCs {
		if owner, _, _ := n.otherEnd(number); !n.here(owner.nics.Index) {
			continue
		}
		waiting, err := n.verifyOutputVC(number)
		if err != nil && number >= l.FirstNICVC {
			return 0, fmt.Errorf("NIC %d, virtual channel %d: %w", (number-l.FirstNICVC)/l.NumVCs, number%l.NumVCs, err)
		}
		if err != nil {
			return 0, fmt.Errorf("port %d, virtual channel %d: %w", number/l.NumVCs, number%l.NumVCs, err)
		}
		inside += waiting
	}
	for _, b := range n.Blocks() {
		if d := b.general.Doors; d != nil {
			inside += d.Counts.Inside + d.Counts.Consumed - d.Counts.Made
		}
	}
	return inside, nil
}

// verifyOutputVC checks that the buffer space before and behind an output VC adds up. It returns
// the number of packets in its input and output buffers.
func (n *Network) verifyOutputVC(number uint32) (packets uint64, err error) {
	owner, down, target := n.otherEnd(number)
	g := owner.general
	o := g.Out.VCs.At(number)
	_, back := g.Pool.Walk(stage.List{First: o.More})
	for i := range o.N {
		back += int64(o.Flits[(o.First+i)%stage.InlineReturns] & core.FlitMask)
	}
	if number < n.layout.FirstNICVC {
		if packets, err = g.VerifyBuffer(number); err != nil {
			return packets, err
		}
		packets += uint64(g.In.VCs.At(number).Packets)
		if n.layout.Wiring(number/n.layout.NumVCs).Router == core.Unconnected {
			return packets, nil
		}
	}
	docked, there := n.dockedAt(number)
	packets += docked
	if !n.here(down.nics.Index) { // only the other process knows the state there
		return packets, nil
	}
	if target < n.layout.FirstNICVC {
		there = int64(n.general.InputVCs.At(target).Flits)
	}
	if o.Credit < 0 || int64(o.Credit)+back+there != int64(g.Out.Capacity) {
		return packets, model.Breach(
			"credit %d flits and %d flits in the buffer or on their way back do not make up its %d flits",
			o.Credit, back+there, g.Out.Capacity,
		)
	}
	return packets, nil
}

// waitOfGeneral implements waitOf for the general path. If the packets of a buffer wait for several
// outputs, it follows the first: once nothing can move any more, each of them leads to a cycle.
func (n *Network) waitOfGeneral(number uint32) (w Wait, next uint32, ok bool) {
	l := n.layout
	port := number / l.NumVCs
	router := uint32(l.Spec.Graph.Ports[port].Router)
	r := &l.Routers[router]
	g := n.blocks[n.blockOf(router)].general
	if g.Separate {
		out, owner := g.BlockedSeparately(r, number-r.FirstVC)
		w = Wait{
			int(l.Name(router)),
			int(port - r.FirstPort),
			int(number % l.NumVCs),
			int(out / l.NumVCs),
			int(out % l.NumVCs),
		}
		if owner != 0 && r.FirstVC+owner-1 != number {
			return w, r.FirstVC + owner - 1, true
		}
		lp := l.Wiring(r.FirstPort + out/l.NumVCs)
		return w, lp.Down + out%l.NumVCs, lp.Router >= 0
	}
	index, found := g.FirstRequest(router, number-r.FirstVC, number)
	if !found {
		return w, 0, false
	}
	w = Wait{
		int(l.Name(router)),
		int(port - r.FirstPort),
		int(number % l.NumVCs),
		int(index / l.NumVCs),
		int(index % l.NumVCs),
	}
	if holder := uint32(g.Out.VCs.At(r.FirstVC + index).Owner); holder != 0 && r.FirstVC+holder-1 != number {
		return w, r.FirstVC + holder - 1, true
	}
	lp := l.Wiring(r.FirstPort + index/l.NumVCs)
	return w, lp.Down + index%l.NumVCs, lp.Router >= 0
}
