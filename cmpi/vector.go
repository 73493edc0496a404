package cmpi

import (
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/collective"
	"fabricast/node"
)

// Tags of collectives that package collective does not have; its own are below 16.
const (
	tagVector = 16 + iota
	tagScan
	tagSplit
	tagBetween
	tagNeighbour
)

// vector runs the collectives in which every rank has a count of its own, and scans.
func (s *strand) vector(send, recv node.Buf) {
	switch s.call.What {
	case host.Gatherv:
		s.gatherv(send, recv)
	case host.Scatterv:
		s.scatterv(send, recv)
	case host.Allgatherv:
		s.allgatherv(send, recv)
	case host.Alltoallv:
		s.alltoallv(send, recv)
	case host.ReduceScatterv:
		s.reduceScatterv(send, recv)
	case host.Scan, host.Exscan:
		s.scan(send, recv, s.call.What == host.Exscan)
	}
}

// parts tells where each rank's part of a buffer lies.
type parts struct {
	buf             node.Buf
	counts, offsets []int64
}

func newParts(buf node.Buf, counts, offsets *int64, n int32) parts {
	return parts{buf, unsafe.Slice(counts, n), unsafe.Slice(offsets, n)}
}

// of is a rank's part.
func (p parts) of(rank int) node.Buf {
	if p.counts[rank] == 0 {
		return p.buf.Slice(0, 0)
	}
	return p.buf.Slice(int(p.offsets[rank]), int(p.counts[rank]))
}

func (s *strand) sendParts(buf node.Buf) parts {
	return newParts(buf, s.call.SendCounts, s.call.SendOffsets, s.size)
}

func (s *strand) recvParts(buf node.Buf) parts {
	return newParts(buf, s.call.RecvCounts, s.call.RecvOffsets, s.size)
}

// move copies contents within a rank.
func move(dst, src node.Buf) { copy(dst.Bytes(), src.Bytes()) }

// gatherv has every rank send its part to the root.
func (s *strand) gatherv(send, recv node.Buf) {
	root := int(s.call.Root)
	if s.Rank() != root {
		s.Wait(s.sendPart(send, root, root, tagVector))
		return
	}
	p := s.recvParts(recv)
	rs := make([]node.Request, 0, s.Size())
	for r := range s.Size() {
		if r != root {
			rs = append(rs, s.recvPart(p.of(r), r, r, tagVector))
		}
	}
	s.keep(p.of(root), send, root)
	s.WaitAll(rs)
}

// scatterv has the root send every rank its part.
func (s *strand) scatterv(send, recv node.Buf) {
	root := int(s.call.Root)
	if s.Rank() != root {
		s.Wait(s.recvPart(recv, root, root, tagVector))
		return
	}
	p := s.sendParts(send)
	rs := make([]node.Request, 0, s.Size())
	for r := range s.Size() {
		if r != root {
			rs = append(rs, s.sendPart(p.of(r), r, r, tagVector))
		}
	}
	s.keep(recv, p.of(root), root)
	s.WaitAll(rs)
}

// allgatherv passes every part around the ring (Thakur, Rabenseifner and Gropp 2005).
func (s *strand) allgatherv(send, recv node.Buf) {
	p := s.recvParts(recv)
	n, me := s.Size(), s.Rank()
	s.keep(p.of(me), send, me)
	mark := s.mark(me)
	for k := range n - 1 {
		have, next := (me-k+n)%n, (me-k-1+n)%n
		s.fit(3)
		in, told := s.irecvTyped(p.of(next), s.takes(next), next, (me-1+n)%n, tagVector)
		s.WaitAll([]node.Request{s.isendMarked(p.of(have), mark, (me+1)%n, tagVector), in})
		mark = told.Mark
	}
}

// alltoallv exchanges with the ranks at distance k above and below in round k.
func (s *strand) alltoallv(send, recv node.Buf) {
	out, in := s.sendParts(send), s.recvParts(recv)
	n, me := s.Size(), s.Rank()
	s.keep(in.of(me), out.of(me), me)
	for k := 1; k < n; k++ {
		to, from := (me+k)%n, (me-k+n)%n
		s.fit(3)
		r := s.recvPart(in.of(from), from, from, tagVector)
		s.WaitAll([]node.Request{s.sendPart(out.of(to), to, to, tagVector), r})
	}
}

// scratch is memory like another buffer's.
func scratch(like node.Buf) node.Buf {
	if like.HasData() {
		return node.Data(append([]byte(nil), like.Bytes()...))
	}
	return node.Size(like.Len())
}

// reduceScatterv combines everything at rank 0, in the order of ranks along a binomial tree, and
// scatters the parts.
func (s *strand) reduceScatterv(send, recv node.Buf) {
	acc := scratch(send)
	s.reduceToFirst(acc)
	s.scatterFromFirst(acc, recv)
}

// scatterFromFirst has rank 0 send every rank its part.
func (s *strand) scatterFromFirst(acc, recv node.Buf) {
	if s.call.SendCounts == nil {
		collective.Scatter(s, acc, recv, 0, collective.Default)
		return
	}
	p := s.sendParts(acc)
	if s.Rank() != 0 {
		s.Recv(recv, 0, tagVector)
		return
	}
	rs := make([]node.Request, 0, s.Size())
	for r := 1; r < s.Size(); r++ {
		rs = append(rs, s.Isend(p.of(r), r, tagVector))
	}
	move(recv, p.of(0))
	s.WaitAll(rs)
}

// reduceToFirst combines acc of all ranks at rank 0.
func (s *strand) reduceToFirst(acc node.Buf) {
	n, me := s.Size(), s.Rank()
	in := scratch(acc)
	for bit := 1; bit < n; bit <<= 1 {
		if me&bit != 0 {
			s.Send(acc, me-bit, tagVector)
			return
		}
		if me+bit < n {
			s.Recv(in, me+bit, tagVector)
			s.combine(acc, in, false)
		}
	}
}

// combine sets acc to the combination of both; lower says that in is of lower ranks. It may overwrite in.
func (s *strand) combine(acc, in node.Buf, lower bool) {
	if !acc.HasData() || acc.Len() == 0 {
		return
	}
	if lower {
		s.apply(in.Bytes(), acc.Bytes())
		return
	}
	s.apply(acc.Bytes(), in.Bytes())
	move(acc, in)
}

// scan combines what ranks up to this one have sent, in log2 p rounds of recursive doubling in the order of
// ranks (Hillis and Steele 1986); an exclusive scan leaves the rank's own part out.
func (s *strand) scan(send, recv node.Buf, exclusive bool) {
	n, me := s.Size(), s.Rank()
	acc := scratch(send) // of this rank and those below that it has heard of
	in, below := scratch(send), scratch(send)
	heard := false
	for d := 1; d < n; d <<= 1 {
		rs := make([]node.Request, 0, 2)
		if me-d >= 0 {
			rs = append(rs, s.Irecv(in, me-d, tagScan))
		}
		if me+d < n {
			rs = append(rs, s.Isend(acc, me+d, tagScan))
		}
		s.WaitAll(rs)
		if me-d < 0 {
			continue
		}
		if heard {
			s.combine(below, scratch(in), true)
		} else {
			move(below, in)
		}
		heard = true
		s.combine(acc, in, true)
	}
	switch {
	case !exclusive:
		move(recv, acc)
	case heard:
		move(recv, below)
	}
}
