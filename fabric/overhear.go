package fabric

// Overhear takes in how far another member of the group has got, for Progress. Both are networks of
// one process.
func (n *Network) Overhear(of *Network) {
	n.across.hear(of.across.group.Rank(), of.across.tell())
}

// ShortestWindow returns how long windows may be (ps) whatever packets there are.
func (n *Network) ShortestWindow() int64 { return n.layout.windows[0] }
