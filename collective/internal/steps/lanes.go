package steps

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/node"
)

// Lane is a share of a collective's data that goes its own way, at the same time as other shares go
// theirs. Each place has a chunk of the share.
type Lane struct {
	Rounds partners.Rounds
	Place  int                         // of the calling rank
	Rank   func(place int) int         // the rank at a place
	Chunk  func(place int) (at, n int) // where in the buffer the chunk of a place is, in bytes
}

// parcel is what a message of a lane carries: one piece of the buffer, or several that are packed.
type parcel struct {
	buf    node.Buf
	packed bool
	places []int32 // whose chunks they are, if they are packed and have contents
	n      int
}

// parcel returns the parcel of the chunks of some places. It does not pack.
func (l *Lane) parcel(b node.Buf, places []int32) parcel {
	first, n, whole := 0, 0, true
	for i, p := range places {
		at, size := l.Chunk(int(p))
		if i == 0 {
			first = at
		}
		whole = whole && (size == 0 || at == first+n)
		n += size
	}
	if whole && n > 0 {
		return parcel{buf: b.Slice(first, n), n: n}
	}
	return l.apart(b, places, n)
}

// apart returns a packed parcel of the chunks of some places, of n bytes together.
func (l *Lane) apart(b node.Buf, places []int32, n int) parcel {
	if !b.HasData() {
		places = nil
	}
	return parcel{buf: Scratch(n, b), packed: true, places: places, n: n}
}

// each calls f for the pieces of a packed parcel, in the buffer and in the parcel.
func (l *Lane) each(b node.Buf, p *parcel, f func(piece, packed node.Buf)) {
	at := 0
	for _, place := range p.places {
		from, n := l.Chunk(int(place))
		f(b.Slice(from, n), p.buf.Slice(at, n))
		at += n
	}
}

// pack returns the chunks of some places as they are sent.
func (l *Lane) pack(c collective.Comm, b node.Buf, places []int32) node.Buf {
	p := l.parcel(b, places)
	if p.packed {
		Copied(c, p.n)
		l.each(b, &p, func(piece, packed node.Buf) { copy(packed.Bytes(), piece.Bytes()) })
	}
	return p.buf
}

// unpack moves what has arrived in a parcel to its places.
func (l *Lane) unpack(c collective.Comm, b node.Buf, p *parcel) {
	if p.packed {
		Copied(c, p.n)
		l.each(b, p, func(piece, packed node.Buf) { copy(piece.Bytes(), packed.Bytes()) })
	}
}

// ScatterLanes performs a reduce-scatter in each lane. Afterwards, the chunk of the rank's own place
// is complete in acc. All lanes have the same number of rounds. The operation must be commutative.
func ScatterLanes(c collective.Comm, acc node.Buf, lanes []Lane, op *collective.Op, tag int) {
	in := make([]parcel, len(lanes))
	for r := range roundsOf(lanes) {
		exchange(c, acc, lanes, in, tag, func(l *Lane) (from, to int, recv parcel, send []int32) {
			round := l.Rounds.Round(r, l.Place)
			if recv = l.parcel(acc, round.Recv); !recv.packed {
				recv = l.apart(acc, round.Recv, recv.n)
			}
			return round.From, round.To, recv, round.Send
		})
		for i := range lanes {
			combined(c, in[i].n)
			lanes[i].each(acc, &in[i], func(piece, packed node.Buf) {
				if piece.Len() > 0 {
					op.Combine(piece.Bytes(), packed.Bytes())
				}
			})
		}
	}
}

// GatherLanes performs an allgather in each lane, by the rounds of ScatterLanes backwards. Before the
// call, buf holds the chunk of the rank's own place.
func GatherLanes(c collective.Comm, buf node.Buf, lanes []Lane, tag int) {
	in := make([]parcel, len(lanes))
	for r := roundsOf(lanes) - 1; r >= 0; r-- {
		exchange(c, buf, lanes, in, tag, func(l *Lane) (from, to int, recv parcel, send []int32) {
			round := l.Rounds.Round(r, l.Place)
			return round.To, round.From, l.parcel(buf, round.Send), round.Recv
		})
		for i := range lanes {
			lanes[i].unpack(c, buf, &in[i])
		}
	}
}

// exchange performs a round in all lanes. of returns with which places a lane exchanges, in what it
// receives, and the places whose chunks it sends. What is received is in the parcels afterwards.
func exchange(
	c collective.Comm, b node.Buf, lanes []Lane, in []parcel, tag int,
	of func(l *Lane) (from, to int, recv parcel, send []int32),
) {
	requests := make([]node.Request, 0, 2*len(lanes))
	out, to := make([]node.Buf, len(lanes)), make([]int, len(lanes))
	for i := range lanes {
		l := &lanes[i]
		from, dst, recv, send := of(l)
		in[i], to[i] = recv, l.Rank(dst)
		requests = append(requests, c.Irecv(recv.buf, l.Rank(from), tag))
		out[i] = l.pack(c, b, send)
	}
	for i := range lanes {
		requests = append(requests, c.Isend(out[i], to[i], tag))
	}
	c.WaitAll(requests)
}

func roundsOf(lanes []Lane) int {
	if len(lanes) == 0 {
		return 0
	}
	return lanes[0].Rounds.Count()
}

// Ways returns the number of shares into which a collective on a grid divides its data: one for each
// side of each dimension, or as many as there are ports if that is less. ports is 0 if there is one
// for each.
func Ways(dims []int, ports int) int {
	if ports > 0 {
		return min(ports, 2*len(dims))
	}
	return 2 * len(dims)
}

// Way returns the dimension in which a share begins, and whether it goes to the other side. The
// first shares begin in different dimensions.
func Way(dims []int, way int) (first int, mirror bool) { return way % len(dims), way >= len(dims) }

// PortsOption is the option for the number of shares of a collective on a grid.
var PortsOption = collective.Option{
	Name: "ports", Summary: "shares of the data that travel at once; 0: one for each side of each dimension",
}
