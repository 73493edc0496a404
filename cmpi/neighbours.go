package cmpi

import (
	"unsafe"

	"fabricast/node"
)

// neighbours sends a part to each destination of the rank in its virtual topology, and receives one
// from each source. On a Cartesian grid, a part sent in one direction is received by the neighbour
// as coming from the opposite direction (MPI 4.0, section 8.6), even where both neighbours are the
// same rank.
func (s *strand) neighbours(send, recv node.Buf) {
	c := s.call
	out := newParts(send, c.SendCounts, c.SendOffsets, c.DestinationCount)
	in := newParts(recv, c.RecvCounts, c.RecvOffsets, c.SourceCount)
	sources, destinations := unsafe.Slice(c.Sources, c.SourceCount), unsafe.Slice(
		c.Destinations, c.DestinationCount,
	)
	rs := make([]node.Request, 0, len(sources)+len(destinations))
	for i := range sources {
		i ^= int(c.Root) // grids: the sender's order
		if source := sources[i]; source >= 0 {
			rs = append(rs, s.comm.recvPart(in.of(i), i, int(source), tagNeighbour))
		}
	}
	for i, destination := range destinations {
		if destination >= 0 {
			rs = append(rs, s.comm.sendPart(out.of(i), i, int(destination), tagNeighbour))
		}
	}
	s.comm.WaitAll(rs)
}
