package cmpi

import (
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/collective"
	"fabricast/collective/scatter"
	"fabricast/node"
)

// Tags of collectives that package collective does not have. Its own tags are below 16.
const (
	tagVector = 16 + iota
	_         // was that of scans; tags are part of result hashes
	tagSplit
	tagBetween
	tagNeighbour
)

// vector executes the collectives with a count for each rank.
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
	}
}

// parts divides a buffer into a part for each rank.
type parts struct {
	buf             node.Buf
	counts, offsets []int64
}

func newParts(buf node.Buf, counts, offsets *int64, n int32) parts {
	return parts{buf, unsafe.Slice(counts, n), unsafe.Slice(offsets, n)}
}

// of returns a rank's part.
func (p parts) of(rank int) node.Buf {
	if p.counts[rank] == 0 {
		return p.buf.Slice(0, 0)
	}
	return p.buf.Slice(int(p.offsets[rank]), int(p.counts[rank]))
}

func (s *strand) sendParts(buf node.Buf) parts {
	return newParts(buf, s.call.SendCounts, s.call.SendOffsets, s.comm.size)
}

func (s *strand) recvParts(buf node.Buf) parts {
	return newParts(buf, s.call.RecvCounts, s.call.RecvOffsets, s.comm.size)
}

// move copies contents within a rank.
func move(dst, src node.Buf) { copy(dst.Bytes(), src.Bytes()) }

// gatherv lets every rank send its part to the root.
func (s *strand) gatherv(send, recv node.Buf) {
	root := int(s.call.Root)
	if s.comm.Rank() != root {
		s.comm.Wait(s.comm.sendPart(send, root, root, tagVector))
		return
	}
	p := s.recvParts(recv)
	rs := make([]node.Request, 0, s.comm.Size())
	for r := range s.comm.Size() {
		if r != root {
			rs = append(rs, s.comm.recvPart(p.of(r), r, r, tagVector))
		}
	}
	s.comm.keep(p.of(root), send, root)
	s.comm.WaitAll(rs)
}

// scatterv lets the root send every rank its part.
func (s *strand) scatterv(send, recv node.Buf) {
	root := int(s.call.Root)
	if s.comm.Rank() != root {
		s.comm.Wait(s.comm.recvPart(recv, root, root, tagVector))
		return
	}
	p := s.sendParts(send)
	rs := make([]node.Request, 0, s.comm.Size())
	for r := range s.comm.Size() {
		if r != root {
			rs = append(rs, s.comm.sendPart(p.of(r), r, r, tagVector))
		}
	}
	s.comm.keep(recv, p.of(root), root)
	s.comm.WaitAll(rs)
}

// allgatherv passes every part around the ring (Thakur, Rabenseifner and Gropp 2005).
func (s *strand) allgatherv(send, recv node.Buf) {
	p := s.recvParts(recv)
	n, me := s.comm.Size(), s.comm.Rank()
	s.comm.keep(p.of(me), send, me)
	mark := s.comm.mark(me)
	for k := range n - 1 {
		have, next := (me-k+n)%n, (me-k-1+n)%n
		s.comm.fit(3)
		in, told := s.comm.irecvTyped(p.of(next), s.comm.takes(next), next, (me-1+n)%n, tagVector)
		s.comm.WaitAll([]node.Request{s.comm.isendMarked(p.of(have), mark, (me+1)%n, tagVector), in})
		mark = told.Mark
	}
}

// alltoallv exchanges parts with the ranks at distance k above and below in round k.
func (s *strand) alltoallv(send, recv node.Buf) {
	out, in := s.sendParts(send), s.recvParts(recv)
	n, me := s.comm.Size(), s.comm.Rank()
	s.comm.keep(in.of(me), out.of(me), me)
	for k := 1; k < n; k++ {
		to, from := (me+k)%n, (me-k+n)%n
		s.comm.fit(3)
		r := s.comm.recvPart(in.of(from), from, from, tagVector)
		s.comm.WaitAll([]node.Request{s.comm.sendPart(out.of(to), to, to, tagVector), r})
	}
}

// scratch returns a new buffer with a copy of another one's contents.
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

// scatterFromFirst lets rank 0 send every rank its part.
func (s *strand) scatterFromFirst(acc, recv node.Buf) {
	if s.call.SendCounts == nil {
		scatter.Run(&s.comm, acc, recv, 0, collective.Default)
		return
	}
	p := s.sendParts(acc)
	if s.comm.Rank() != 0 {
		s.comm.Recv(recv, 0, tagVector)
		return
	}
	rs := make([]node.Request, 0, s.comm.Size())
	for r := 1; r < s.comm.Size(); r++ {
		rs = append(rs, s.comm.Isend(p.of(r), r, tagVector))
	}
	move(recv, p.of(0))
	s.comm.WaitAll(rs)
}

// reduceToFirst combines the acc of all ranks at rank 0.
func (s *strand) reduceToFirst(acc node.Buf) {
	n, me := s.comm.Size(), s.comm.Rank()
	in := scratch(acc)
	for bit := 1; bit < n; bit <<= 1 {
		if me&bit != 0 {
			s.comm.Send(acc, me-bit, tagVector)
			return
		}
		if me+bit < n {
			s.comm.Recv(in, me+bit, tagVector)
			s.combine(acc, in, false)
		}
	}
}

// combine sets acc to the combination of acc and in. lower means that in holds operands of lower
// ranks. It may overwrite in.
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
