package mpi

import (
	"fabricast/collective"
	"fabricast/node"
)

var (
	_ collective.Contributor = (*private)(nil)
	_ collective.Contributor = (*paced)(nil)
)

// Contribute implements collective.Contributor.
func (p *private) Contribute(operand Buf, s collective.Segment, tag int) Request {
	if !p.rank.begin() {
		return p.rank.past()
	}
	w, c, combination := p.rank.ops.World(), (*Comm)(p), int64(0)
	if operand.HasData() && operand.Len() > 0 {
		if err := w.CanCombine(); err != nil {
			panic(err)
		}
		if s.Op != nil {
			combination = combinationOf(w, s.Op)
		}
	}
	tag = int(collective.TreeTag(int32(tag), s.Code))
	return p.rank.keep(c.isendWith(operand, c.Rank(), tag, node.Collectives, s.Options(w.NICs(), combination)))
}

// Collect implements collective.Contributor.
func (p *private) Collect(result Buf, s collective.Segment, tag int) Request {
	return p.Irecv(result, s.Member, int(collective.TreeTag(int32(tag), s.Code)))
}

// Combines implements collective.Contributor.
func (p *private) Combines(op *collective.Op) bool { return op != nil && op.Combine != nil }

func (p *paced) Contribute(operand Buf, s collective.Segment, tag int) Request {
	return (*private)(p).Contribute(operand, s, tag)
}

func (p *paced) Collect(result Buf, s collective.Segment, tag int) Request {
	return (*private)(p).Collect(result, s, tag)
}

func (p *paced) Combines(op *collective.Op) bool { return (*private)(p).Combines(op) }
