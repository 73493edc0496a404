package agreement

// turn identifies a collective: number nth on a communicator, given by its context.
type turn struct{ context, nth int32 }

// part holds what one rank does when its turn comes: the call it makes and the call's data.
type part struct {
	rank       int
	what, root int32
	background bool
	name       *byte // name of the function that it called
	data       share
}

// agrees reports whether two ranks call the same collective in the same way. It does not compare
// datatypes.
func (a *part) agrees(b *part) bool {
	return a.what == b.what && a.root == b.root && a.background == b.background && a.data == b.data
}

// attendance records the ranks that have called a collective in one turn: the lowest rank, and the
// lowest rank that called something else. The result does not depend on the order in which ranks
// call.
type attendance struct {
	lowest, other part
	differ        bool
	came, size    int32 // ranks that have called, and of the communicator
	types         types
}

func (t *attendance) add(p *part) {
	t.came++
	switch {
	case t.came == 1:
		t.lowest = *p
	case p.rank < t.lowest.rank:
		if !p.agrees(&t.lowest) {
			t.other, t.differ = t.lowest, true
		}
		t.lowest = *p
	case !p.agrees(&t.lowest) && (!t.differ || p.rank < t.other.rank):
		t.other, t.differ = *p, true
	}
}
