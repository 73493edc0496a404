package oracle

import (
	"sort"

	"fabricast/fabric"
	"fabricast/internal/causes"
	"fabricast/topology"
)

// A ledger remembers every stay of a packet in a buffer, and how it left. After the run, it finds out which
// packets held what others waited for, by looking at everything that has happened.

// stay is the stay of a packet in one buffer.
type stay struct {
	message                    *message
	ready, asked, start, leave int64 // as in fabric.Hop
	bytes, needs               int64
	last                       bool
	link                       int32    // link that the packet leaves for
	in, out                    object   // what it occupies as it leaves
	from, to                   object   // its buffer, and the next one
	periods                    []period // how its wait is divided
}

// object is something that packets occupy: a buffer, or what they pass one at a time.
type object struct {
	kind      objectKind
	index, vc int
}

type objectKind uint8

const (
	nothing    objectKind = iota
	inBuffer              // input buffer of a global port
	outBuffer             // output buffer of a global port
	nicBuffer             // receive buffer of a NIC
	sendingNIC            // the sending side of a NIC, with its link
	inPort                // crossbar port of an input
	outPort               // crossbar port of an output
	outLink               // link behind output buffers
	memory                // the receiving side of a NIC
)

// period is a part of a wait, up to a time.
type period struct {
	until int64
	part  causes.Part // causes.Count: it is no wait
	of    *stay       // who holds what the packet waits for
	// the packet is charged with what `of` is charged with, as it was `earlier` ps before
	passOn  bool
	earlier int64
}

// ledger holds the stays of a run.
type ledger struct {
	spec  *fabric.Spec
	stays []*stay
	links []int32          // by global port
	came  map[object]*book // by buffer: stays that led to it
	went  map[object]*book // by object: stays that left it or passed it, one after another
}

// book lists stays in order of start, and, for each, the bytes of all up to it.
type book struct {
	stays []*stay
	sums  []int64
}

// to returns the book of an object.
func to(books map[object]*book, o object) *book {
	if books[o] == nil {
		books[o] = &book{}
	}
	return books[o]
}

func (b *book) add(s *stay) {
	sum := s.bytes
	if n := len(b.sums); n > 0 {
		sum += b.sums[n-1]
	}
	b.stays, b.sums = append(b.stays, s), append(b.sums, sum)
}

// startedBy returns the number of stays that started up to a time.
func (b *book) startedBy(t int64) int {
	return sort.Search(len(b.stays), func(i int) bool { return b.stays[i].start > t })
}

// leftBy returns the number of stays that ended up to a time.
func (b *book) leftBy(t int64) int {
	return sort.Search(len(b.stays), func(i int) bool { return b.stays[i].leave > t })
}

// passing returns the stay that passes at a time; nil if there is none.
func (b *book) passing(t int64) *stay {
	if i := b.leftBy(t); i < len(b.stays) && b.stays[i].start <= t {
		return b.stays[i]
	}
	return nil
}

// next returns the first stay that starts after a time and before another; nil if there is none.
func (b *book) next(after, before int64) *stay {
	if i := b.startedBy(after); i < len(b.stays) && b.stays[i].start < before {
		return b.stays[i]
	}
	return nil
}

func newLedger(spec *fabric.Spec) *ledger {
	l := &ledger{spec: spec, came: map[object]*book{}, went: map[object]*book{}}
	used := int32(0)
	for _, p := range spec.Graph.Ports {
		l.links = append(l.links, used)
		if p.Peer != topology.Unconnected || p.NIC != topology.Unconnected {
			used++
		}
	}
	l.links = append(l.links, used) // the first NIC's
	return l
}

func (l *ledger) enter(s *stay) {
	l.stays = append(l.stays, s)
	to(l.came, s.to).add(s)
	for _, o := range []object{s.from, s.in, s.out} {
		if o.kind != nothing {
			to(l.went, o).add(s)
		}
	}
}

// injected records a packet that a NIC injects now. Others had the NIC for queue ps from the time since on,
// and from the time asked on it lacked only credit. The link is free again at the time `free` (ps).
func (h *hosts) injected(n *nic, p *packet, since, queue, asked, free int64) {
	if h.ledger == nil {
		return
	}
	s := &stay{
		message: p.msg, ready: since, asked: asked, start: h.now, leave: free, bytes: p.wire, needs: h.nicNeeds(p),
		last: true, link: h.ledger.links[len(h.ledger.links)-1] + int32(n.number),
		out: object{sendingNIC, n.number, 0}, to: object{inBuffer, int(n.plug), p.entry},
	}
	h.ledger.dividesInjection(s, since+queue)
	h.ledger.enter(s)
}

// crossed records a packet that starts through the crossbar now.
func (s *switches) crossed(r *router, p *packet, leave int64) {
	if s.ledger == nil {
		return
	}
	in, out := &r.ports[p.inPort], &r.ports[p.outPort]
	to := s.behind(out, p.outVC)
	if s.buffered() {
		to = object{outBuffer, out.global, p.outVC}
	}
	asked := s.askedAt(p)
	if s.separate() {
		asked = p.vcAsked + s.grantTime()
	}
	s.ledger.enter(&stay{
		message: p.msg, ready: p.ready, asked: asked, start: s.now, leave: leave, bytes: p.wire,
		needs: s.needs(r, p, p.outPort, p.outVC), last: p.last, link: s.ledger.links[out.global],
		in: object{inPort, in.global, 0}, out: object{outPort, out.global, 0},
		from: object{inBuffer, in.global, p.inVC}, to: to,
	})
}

// behind returns the buffer at the other end of a port's link.
func (s *switches) behind(out *port, vc int) object {
	if out.NIC != topology.Unconnected {
		return object{nicBuffer, int(out.NIC), vc}
	}
	return object{inBuffer, int(out.Peer), vc}
}

// linked records a packet that starts from an output buffer on its link now.
func (s *switches) linked(r *router, out *port, p *packet, leave int64) {
	if s.ledger == nil {
		return
	}
	s.ledger.enter(&stay{
		message: p.msg, ready: p.came, asked: p.came, start: s.now, leave: leave, bytes: p.wire,
		needs: s.linkNeeds(r, p), last: p.last, link: s.ledger.links[out.global],
		out: object{outLink, out.global, 0}, from: object{outBuffer, out.global, p.outVC}, to: s.behind(out, p.outVC),
	})
}

// received records a packet that a NIC transfers to memory from the time start to the time `end` (ps).
func (h *hosts) received(n *nic, a *arrival, start, end int64) {
	if h.ledger == nil {
		return
	}
	h.ledger.enter(&stay{
		message: a.msg, ready: a.tail, asked: a.tail, start: start, leave: end, bytes: a.wire, last: a.packet.last,
		link: h.ledger.links[n.plug], out: object{memory, n.number, 0}, from: object{nicBuffer, n.number, a.vc},
	})
}
