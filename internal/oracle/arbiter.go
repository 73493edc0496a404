package oracle

import (
	"cmp"
	"slices"

	"fabricast/fabric"
)

// arbitrage holds the past grants of one arbiter.
type arbitrage struct {
	follows int     // the input after the one that was granted last
	granted []int64 // by input: time of its last grant (ps); -1: never
	tags    tags    // of classes
}

func newArbitrage(inputs int) arbitrage {
	return arbitrage{granted: slices.Repeat([]int64{-1}, inputs), tags: newTags()}
}

// grant records that an input is granted now.
func (a *arbitrage) grant(input int, now int64) {
	a.granted[input] = now
	a.follows = (input + 1) % len(a.granted)
}

// distance returns how far an input is, in round-robin order, behind the input with the highest
// priority.
func (a *arbitrage) distance(input int) int {
	return (input - a.follows + len(a.granted)) % len(a.granted)
}

// candidate is a requesting packet with its arbitration key.
type candidate struct {
	packet *packet
	input  int
	key    [4]int64 // the candidate with the lowest key comes first
}

// rank sorts candidates by their keys, then by input, then by arrival.
func rank(cs []candidate) {
	slices.SortFunc(cs, compare)
}

// compare orders candidates by their keys, then by input, then by arrival.
func compare(a, b candidate) int {
	return cmp.Or(
		slices.Compare(a.key[:], b.key[:]),
		cmp.Compare(a.input, b.input),
		cmp.Compare(a.packet.ready, b.packet.ready))
}

// key returns the arbitration key of a packet whose request started at time ask (ps). past holds
// the earlier grants of the requested resource, and output distinguishes the resources of a router.
func (s *switches) key(p *packet, ask int64, past *arbitrage, input, output int) [4]int64 {
	key := s.keyInClass(p, ask, past, input, output)
	if s.classed() {
		return s.classKey(p, past, key)
	}
	return key
}

// keyInClass is key among packets of one class.
func (s *switches) keyInClass(p *packet, ask int64, past *arbitrage, input, output int) [4]int64 {
	if own := s.spec.Router.OwnArbiter; own != nil {
		return s.ownKey(own, p, ask, int64(past.distance(input)), past.granted[input], output)
	}
	switch s.spec.Router.Arbiter {
	case fabric.RoundRobin:
		return [4]int64{int64(past.distance(input)), int64(output)}
	case fabric.Matrix:
		return [4]int64{past.granted[input], int64(output)}
	case fabric.Age:
		return [4]int64{p.msg.Since(), ask}
	case fabric.Arrival:
		return [4]int64{p.came, ask}
	case fabric.Priority:
		return [4]int64{-int64(p.msg.Class), ask}
	}
	return [4]int64{ask}
}

// ownKey returns the arbitration key for a user-defined arbiter.
func (s *switches) ownKey(
	own *fabric.ArbiterKind, p *packet, ask, turn, granted int64, output int,
) [4]int64 {
	switch {
	case own.Rank != nil:
	case own.Memory == fabric.LastGrant:
		return [4]int64{turn, int64(output)}
	case own.Memory == fabric.GrantTimes:
		return [4]int64{granted, int64(output)}
	default:
		return [4]int64{ask}
	}
	q := &fabric.Request{
		Asked: ask, Ready: p.came, Flits: p.wire / s.spec.Packet.Flit,
		Source: p.msg.Src, Destination: p.msg.Dst, Bytes: p.msg.Size, Posted: p.msg.Post, Since: p.msg.Since(),
		Class: p.msg.Class, Granted: -1,
	}
	switch own.Memory {
	case fabric.LastGrant:
		q.Turn = turn
	case fabric.GrantTimes:
		q.Granted = granted
	}
	r := own.Rank(q)
	return [4]int64{r[0], r[1]}
}
