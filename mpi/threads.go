package mpi

import (
	"fabricast/collective"
	"fabricast/node"
)

var _ collective.Threaded = (*private)(nil)

// Threads implements collective.Threaded. A rank that is replayed (see Loop and Steps) has none, and
// neither has one whose operations wait for their turn on a processor, or are only listed.
func (p *private) Threads() bool {
	r := p.rank
	return r.ops != nil && r.cursor == nil && r.yield != nil && !r.ops.Turns() && !r.ops.Listed()
}

// Clock implements collective.Threaded.
func (p *private) Clock() int64 { return int64(p.rank.Now()) }

// Timer implements collective.Threaded.
func (p *private) Timer(d int64) Request {
	p.rank.begin()
	return p.rank.ops.Timer(d)
}

// Any implements collective.Threaded.
func (p *private) Any(rs []Request) int {
	i, _ := (*Comm)(p).WaitAny(rs)
	return i
}

// Spend implements collective.Threaded.
func (p *private) Spend(d int64) { p.rank.Compute(Duration(d)) }

// NICs implements collective.Threaded.
func (p *private) NICs() int { return p.rank.ops.World().NICs() }

// IsendBy implements collective.Threaded.
func (p *private) IsendBy(buf Buf, dst, tag, nic int) Request {
	if !p.rank.begin() {
		return p.rank.past()
	}
	o := node.Options{NIC: 1 + nic}
	return p.rank.keep((*Comm)(p).isendWith(buf, dst, tag, node.Collectives, o))
}
