package traffic

import (
	"math"
	"math/bits"

	"fabricast/fabric"
	"fabricast/node"
)

// Load is traffic made concrete for a network.
type Load struct {
	Pattern  Pattern
	Sizes    []SizeClass
	Arrivals Arrivals // open loop
	Window   int      // closed loop: requests of a source under way; 0: open loop
	Reply    int64    // closed loop: payload bytes of a reply
	Seed     uint64
}

// generator is what all blocks share of the traffic; immutable during a run.
type generator struct {
	Load
	sizes   sizes
	process process
	packet  fabric.Packet
	nics    int32   // of a host
	classed Classed // nil: all messages are of class 0
	// distance of two hosts, in links between routers; nil: latencies are not told apart.
	distance func(src, dst int) int
}

// endpoint generates and takes in the traffic of one block's hosts.
type endpoint struct {
	*generator
	transport fabric.Transport
	first     int32    // NIC
	sources   []source // by NIC from first
	draws     Draws    // of the message being made; here so that it does not escape
	until     int64    // ps: messages of later generation are not sent

	bins    bins
	from    int64 // ps: messages generated in [from, to) are recorded
	to      int64
	latency node.Histogram
	classes node.Latencies // of the same messages; empty unless distances are known
	last    int64          // ps: the latest delivery
}

// Request of a message tells what it is.
const (
	openMessage = iota // or a request; the number of the NIC is added
	reply       = 1 << 31
)

func (g *generator) newEndpoint(t fabric.Transport, firstHost, endHost int32, shift uint) *endpoint {
	return &endpoint{
		generator: g, transport: t, first: firstHost * g.nics,
		sources: make([]source, (endHost-firstHost)*g.nics),
		until:   math.MaxInt64, bins: bins{shift: shift}, from: math.MaxInt64, to: math.MaxInt64,
	}
}

// Wake begins the traffic of a host.
func (e *endpoint) Wake(host int32, now int64) {
	for nic := host * e.nics; nic < (host+1)*e.nics; nic++ {
		if e.Window > 0 {
			for range e.Window {
				e.request(nic, now)
			}
			continue
		}
		e.draws = drawsOf(e.Seed, nic, math.MaxUint64)
		e.process.start(&e.sources[nic-e.first], &e.draws)
		e.generate(nic, now)
	}
}

// generate posts the source's next message. The NIC fetches a few messages ahead and
// tells of each, so the chain goes on by itself, and at the NIC's pace.
func (e *endpoint) generate(nic int32, notBefore int64) {
	s := &e.sources[nic-e.first]
	if s.at >= e.until || notBefore >= e.until {
		return
	}
	id, m := e.make(nic, s.number)
	m.Sent, m.Post = s.at, max(s.at, notBefore)
	m.Request = openMessage + uint32(nic)
	e.bins.at(m.Sent).generated++
	e.process.advance(s, &e.draws)
	e.transport.Post(id)
}

// make draws destination and size of a source's message.
func (e *endpoint) make(nic int32, number uint64) (fabric.MsgID, *fabric.Message) {
	e.draws = drawsOf(e.Seed, nic, number)
	host := nic / e.nics
	dst := e.Pattern.Destination(host, &e.draws)
	id, m := e.transport.NewMessage()
	m.Src, m.Dst = nic, dst*e.nics+nic%e.nics
	m.Size = e.sizes.draw(&e.draws)
	if e.classed != nil {
		m.Class = e.classed.Class(host, dst)
	}
	return id, m
}

// Fetched goes on to the source's next message.
func (e *endpoint) Fetched(_ int32, request uint32, at int64) {
	if e.Window == 0 {
		e.generate(int32(request-openMessage), at)
	}
}

// request sends the next message of a closed loop.
func (e *endpoint) request(nic int32, now int64) {
	if now >= e.until {
		return
	}
	s := &e.sources[nic-e.first]
	id, m := e.make(nic, s.number)
	s.number++
	m.Sent, m.Post = now, now
	e.bins.at(now).generated++
	e.transport.Post(id)
}

// Delivered counts a message. In a closed loop a request is answered, and a reply
// makes room for the next request.
func (e *endpoint) Delivered(_ int32, id fabric.MsgID, at int64) {
	m := e.transport.Message(id)
	src, dst, sent, request, class, tag := m.Src, m.Dst, m.Sent, m.Request, m.Class, m.Tag
	size := int32(bits.Len64(uint64(m.Size)))
	e.carried(m, at)
	e.transport.Release(id)
	switch {
	case e.Window == 0:
		e.complete(src, dst, size, sent, at)
	case request == reply:
		e.complete(dst, src, tag, sent, at)
		e.request(dst, at)
	default:
		id, m := e.transport.NewMessage()
		m.Src, m.Dst, m.Size, m.Sent, m.Post, m.Request = dst, src, e.Reply, sent, at, reply
		m.Class, m.Tag = class, size
		e.transport.Post(id)
	}
}

// carried counts what the network has carried.
func (e *endpoint) carried(m *fabric.Message, at int64) {
	e.last = max(e.last, at)
	b := e.bins.at(at)
	b.bytes += wire(e.packet, m.Size)
	b.delivered++
	h0, h1 := hashOf(m.Src, m.Dst, m.Size, m.Sent, at)
	b.hash[0] += h0
	b.hash[1] += h1
}

// complete counts a message between two NICs whose size takes so many bits, or a request with its reply, by its generation.
func (e *endpoint) complete(src, dst, size int32, sent, at int64) {
	b := e.bins.at(sent)
	b.arrived++
	b.latency += at - sent
	if e.from > sent || sent >= e.to {
		return
	}
	e.latency.Record(at - sent)
	if e.distance != nil {
		e.classes.Record(int(size), e.distance(int(src/e.nics), int(dst/e.nics)), at-sent)
	}
}
