package onesided

import (
	"fmt"

	"fabricast/fabric"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
)

// Region is memory of a rank that other ranks may access. Its contents are nil once it is closed.
type Region struct {
	model.Buf
	Lock lock
}

// memory returns the part of a rank's memory that an operation of rank origin accesses; nil if it
// has no contents. If the access is out of bounds, it ends the run with an error of the origin, and
// returns false.
func (s *RMA) memory(r *core.Rank, origin int32, kind model.Kind, x *fabric.Extra) ([]byte, bool) {
	if x.Remote == 0 {
		return nil, true
	}
	size := int64(-1)
	if g := s.RegionOf(r, x.Remote); g != nil {
		size = int64(g.Len())
		if first := int64(x.Place); first >= 0 && x.Length <= size-first {
			if !g.HasData() {
				return nil, true
			}
			return g.Bytes()[first : first+x.Length], true
		}
	}
	s.Failures.Report(origin, s.Schedule.Now, &AccessError{
		Kind: kind, Origin: int(origin), Rank: int(r.ID), Region: int(x.Remote),
		Place: int64(x.Place), Length: x.Length, Size: size,
	})
	return nil, false
}

// RegionOf returns an open region of a rank; nil if there is none with that ID.
func (s *RMA) RegionOf(r *core.Rank, number uint32) *Region {
	if s.Regions == nil {
		return nil
	}
	if own := s.Regions[s.World.Slot(r.ID)]; number > 0 && int(number) <= len(own) {
		return own[number-1]
	}
	return nil
}

// AccessError is a one-sided operation on memory that the target rank has not registered.
type AccessError struct {
	Kind          model.Kind // Put, Get or Atomic
	Origin, Rank  int        // world ranks of the origin and the target
	Region        int
	Place, Length int64 // offset and length, in bytes
	Size          int64 // size of the region in bytes; -1 if there is no such region
}

func (e *AccessError) Error() string {
	what := map[model.Kind]string{model.Put: "put", model.Get: "get", model.Atomic: "atomic operation"}[e.Kind]
	if e.Size < 0 {
		return fmt.Sprintf("%s of rank %d: rank %d has no region %d", what, e.Origin, e.Rank, e.Region)
	}
	return fmt.Sprintf(
		"%s of rank %d: %d bytes from byte %d on are not within region %d of rank %d, which has %d bytes",
		what, e.Origin, e.Length, e.Place, e.Region, e.Rank, e.Size,
	)
}
