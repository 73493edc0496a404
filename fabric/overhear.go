package fabric

import "fabricast/internal/offheap"

// Overhear takes in how far another member of the group has got, for Progress. Both are networks of
// one process.
func (n *Network) Overhear(of *Network) {
	n.across.hear(of.across.group.Rank(), of.across.tell())
}

// WindowOf returns how long windows of a network of a Spec may be (ps) while all packets are full ones.
func WindowOf(spec Spec) (int64, error) {
	var arena offheap.Arena
	defer arena.Free()
	l, err := newLayout(spec, &arena)
	if err != nil {
		return 0, err
	}
	return l.fullWindow, nil
}

// ShortestWindow returns how long windows may be (ps) whatever packets there are.
func (n *Network) ShortestWindow() int64 { return n.layout.windows[0] }
