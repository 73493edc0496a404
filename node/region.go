package node

import (
	"fmt"

	"fabricast/fabric"
)

// region is memory of a rank that others may access; nil once it is closed.
type region struct {
	Buf
	lock lock
}

// Register opens a buffer to one-sided operations of other ranks and returns the number of the
// region: 1 for a rank's first, 2 for its second, and so on, so that ranks that register the same
// regions in the same order know one another's numbers.
func (o *Ops) Register(buf Buf) int32 {
	b := o.block
	if b.regions == nil {
		b.regions = make([][]*region, len(b.programs))
	}
	own := &b.regions[o.slot]
	*own = append(*own, &region{Buf: buf})
	return int32(len(*own))
}

// Unregister closes a region. Operations that come later fail.
func (o *Ops) Unregister(number int32) {
	if number < 1 || o.block.regionOf(o.rank, uint32(number)) == nil {
		panic(fmt.Errorf("region %d is not registered", number))
	}
	o.block.regions[o.slot][number-1] = nil
}

// memory is the part of a rank's memory that an operation of rank origin is about: nil if it has no contents. It
// returns false, and ends the run with an error of the origin, if there is no such part.
func (b *Block) memory(r *rank, origin int32, kind Kind, x *fabric.Extra) ([]byte, bool) {
	if x.Remote == 0 {
		return nil, true
	}
	size := int64(-1)
	if g := b.regionOf(r, x.Remote); g != nil {
		size = g.size
		if first := int64(x.Place); first >= 0 && x.Length <= size-first {
			if g.data == nil {
				return nil, true
			}
			return g.data[first : first+x.Length], true
		}
	}
	b.report(origin, b.now, &AccessError{
		Kind: kind, Origin: int(origin), Rank: int(r.id), Region: int(x.Remote), Place: int64(x.Place), Length: x.Length, Size: size,
	})
	return nil, false
}

// regionOf is an open region of a rank, nil if there is none with the number.
func (b *Block) regionOf(r *rank, number uint32) *region {
	if b.regions == nil {
		return nil
	}
	if own := b.regions[b.slotOf(r)]; number > 0 && int(number) <= len(own) {
		return own[number-1]
	}
	return nil
}

// AccessError is a one-sided operation on memory that the other rank has not opened.
type AccessError struct {
	Kind          Kind // Put, Get or Atomic
	Origin, Rank  int  // world ranks: whose operation it is, and whose memory
	Region        int
	Place, Length int64 // bytes
	Size          int64 // of the region; -1 if there is none
}

func (e *AccessError) Error() string {
	what := map[Kind]string{Put: "put", Get: "get", Atomic: "atomic operation"}[e.Kind]
	if e.Size < 0 {
		return fmt.Sprintf("%s of rank %d: rank %d has no region %d", what, e.Origin, e.Rank, e.Region)
	}
	return fmt.Sprintf("%s of rank %d: %d bytes from byte %d on are not within region %d of rank %d, which has %d bytes",
		what, e.Origin, e.Length, e.Place, e.Region, e.Rank, e.Size)
}
