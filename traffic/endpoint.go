package traffic

import (
	"iter"
	"math"
	"math/bits"

	"fabricast/fabric"
	"fabricast/internal/histogram"
)

// Load specifies synthetic traffic: destinations, sizes and times of messages.
type Load struct {
	Pattern  Pattern
	Sizes    []SizeClass
	Arrivals Arrivals // arrival process, for an open loop
	Window   int      // closed loop: outstanding requests per source; 0: open loop
	Reply    int64    // payload of a reply in bytes, for a closed loop
	Seed     uint64
	// Concurrent means that every message is posted at the time at which it is due, because NICs take
	// any number of messages at once. Otherwise a source posts a message when its NIC has room for it.
	Concurrent bool
	Incast     Incast // overlay of incasts
	Class      uint8  // of all messages, unless the Pattern is Classed
}

// generator holds the parameters of traffic that all partition blocks share. It is immutable during
// a run.
type generator struct {
	Load
	sizes   sizes
	process arrivalProcesses
	packet  fabric.Packet
	nics    int32   // number of NICs per host
	classed Classed // nil: all messages are of class Load.Class
	// distance returns the distance between two hosts, in links between routers. If it is nil,
	// latencies are not recorded by distance and size.
	distance func(src, dst int) int
	// ideal returns how long (ps) a message between two NICs takes in an idle network. If it is nil,
	// results are not recorded by size.
	ideal   func(src, dst int32, size int64) int64
	incasts incasts
	// places holds the hosts that have traffic. nil means all hosts, whose positions are their IDs.
	places *places
	offset int64 // start time of the traffic (ps)
	// slots holds, by host, the index of the host in its endpoint. It is nil if the hosts of each
	// endpoint have consecutive IDs.
	slots []int32
}

// endpoint generates and receives the traffic of the hosts of a cell (see fabric.Cell).
type endpoint struct {
	*generator
	transport fabric.Transport
	cell      int      // ID of its cell
	first     int32    // ID of its first host
	sources   []source // by slot of the host and NIC of the host
	draws     Draws    // random numbers for the current message; a field to avoid an allocation
	until     int64    // no messages are generated from this time on (ps)

	bins     bins
	from     int64 // the latencies of messages generated in [from, to) are recorded (ps)
	to       int64
	latency  histogram.Histogram
	classes  histogram.Latencies // latencies of the same messages by distance and size, if generator.distance is set
	byClass  classCounts         // by class, if generator.classed is set
	bySize   sizeCounts          // by size, if generator.ideal is set
	byIncast sizeCounts          // the same, of the messages of incasts
	turns    []uint64            // by slot of the host: number of the next incast that has not been looked at
	pending  ledger              // messages that are not completely sent, if Load.Concurrent is set
	last     int64               // time of the latest delivery (ps)
	payload  int64               // delivered payload in bytes
	log      func(m Carried)     // nil: deliveries are not reported
}

// Values of a message's Request field.
const (
	openMessage = iota // a request, or an open-loop message; for the latter, the index of its NIC is added
	reply       = 1 << 31
)

func (g *generator) newEndpoint(t fabric.Transport, hosts iter.Seq[int32], shift uint) *endpoint {
	e := &endpoint{
		generator: g, transport: t,
		until: math.MaxInt64, bins: bins{shift: shift}, from: math.MaxInt64, to: math.MaxInt64,
	}
	slot := int32(0)
	for h := range hosts {
		if slot == 0 {
			e.first = h
		}
		if g.slots != nil {
			g.slots[h] = slot
		}
		slot++
	}
	e.room(slot)
	return e
}

// room makes room for the state of so many hosts.
func (e *endpoint) room(hosts int32) {
	e.sources, e.turns = make([]source, hosts*e.nics), make([]uint64, hosts)
	e.pending.waiting = make([]int64, len(e.sources))
}

// Move implements fabric.Mover.
func (e *endpoint) Move(to fabric.Transport) { e.transport = to }

// Wake implements fabric.Endpoint: it starts the traffic of a host.
func (e *endpoint) Wake(host int32, now int64) {
	if e.Window == 0 && e.Concurrent {
		e.due(host, now)
		return
	}
	host = e.places.number(host)
	for nic := host * e.nics; nic < (host+1)*e.nics; nic++ {
		if e.Window > 0 {
			for range e.Window {
				e.request(nic, now)
			}
			continue
		}
		e.draws = drawsOf(e.Seed, nic, math.MaxUint64)
		e.processOf(nic).start(e.source(nic), &e.draws)
		e.generate(nic, now)
	}
}

// generate posts the next message of a source, not before the given time (ps). When the NIC has
// fetched the message, it calls Fetched, which generates the next message. Therefore generation is
// at most a few messages ahead of the NIC.
func (e *endpoint) generate(nic int32, notBefore int64) {
	s := e.source(nic)
	at := s.at + e.offset
	if at >= e.until || notBefore >= e.until {
		return
	}
	id, m := e.make(nic, s.number)
	m.Sent, m.Post = at, max(at, notBefore)
	m.Flags = fabric.SourceQueued
	m.Request = openMessage + uint32(nic)
	e.bins.at(m.Sent).generated++
	e.processOf(nic).advance(s, &e.draws)
	e.transport.Post(id)
}

// make creates message number of a NIC, with a random destination and size.
func (e *endpoint) make(nic int32, number uint64) (fabric.MsgID, *fabric.Message) {
	e.draws = drawsOf(e.Seed, nic, number)
	host := nic / e.nics
	id, m := e.transport.NewMessage()
	var dst int32
	if e.classed != nil {
		dst, m.Class = e.classed.DestinationIn(host, &e.draws)
	} else {
		dst = e.Pattern.Destination(host, &e.draws)
		m.Class = e.Class
	}
	m.Src, m.Dst = e.places.host(host)*e.nics+nic%e.nics, e.places.host(dst)*e.nics+nic%e.nics
	m.Size = e.sizes.draw(&e.draws)
	return id, m
}

// processOf returns the arrival process of a NIC. The NIC's index is based on host positions (see
// places).
func (e *endpoint) processOf(nic int32) *process {
	if e.process.kinds == nil {
		return &e.process.all[0]
	}
	return &e.process.all[e.process.kinds[e.places.host(nic/e.nics)*e.nics+nic%e.nics]]
}

// source returns the state of a NIC. The NIC's index is based on host positions (see places).
func (e *endpoint) source(nic int32) *source {
	return &e.sources[e.sourceOf(nic)]
}

// sourceOf returns the index of a NIC in sources. The NIC's index is based on host positions (see
// places).
func (e *endpoint) sourceOf(nic int32) int32 {
	switch {
	case e.places != nil:
		return e.places.slots[nic/e.nics]*e.nics + nic%e.nics
	case e.generator.slots != nil:
		return e.generator.slots[nic/e.nics]*e.nics + nic%e.nics
	}
	return nic - e.first*e.nics
}

// Fetched implements fabric.Endpoint: it generates the next message of the source.
func (e *endpoint) Fetched(_ int32, request uint32, at int64) {
	switch {
	case e.Window > 0:
	case e.Concurrent:
		if request != 0 { // of an incast
			e.pending.remove(request)
		}
	default:
		e.generate(int32(request-openMessage), at)
	}
}

// request sends the next request of a source in a closed loop.
func (e *endpoint) request(nic int32, now int64) {
	if now >= e.until {
		return
	}
	s := e.source(nic)
	id, m := e.make(nic, s.number)
	s.number++
	m.Sent, m.Post = now, now
	e.bins.at(now).generated++
	e.transport.Post(id)
}

// Delivered implements fabric.Endpoint: it counts a message. In a closed loop, it also answers a
// request with a reply, and a reply with the next request.
func (e *endpoint) Delivered(_ int32, id fabric.MsgID, at int64) {
	m := e.transport.Message(id)
	if e.places != nil && m.Sent >= e.until { // posted before Stop set the end of the traffic
		e.transport.Release(id)
		return
	}
	if e.apart(m) {
		e.incastDelivered(m, at)
		e.reported(m, at)
		e.transport.Release(id)
		return
	}
	src, dst, sent, request, class, tag := m.Src, m.Dst, m.Sent, m.Request, m.Class, m.Tag
	size := int32(bits.Len64(uint64(m.Size)))
	if e.ideal != nil && e.from <= sent && sent < e.to {
		e.bySize.record(size, at-sent, e.ideal(src, dst, m.Size))
	}
	e.carried(m, at)
	e.reported(m, at)
	e.transport.Release(id)
	switch {
	case e.Window == 0:
		e.complete(src, dst, size, sent, at, class)
	case request == reply:
		e.complete(dst, src, tag, sent, at, class)
		e.request(e.places.number(dst/e.nics)*e.nics+dst%e.nics, at)
	default:
		id, m := e.transport.NewMessage()
		m.Src, m.Dst, m.Size, m.Sent, m.Post, m.Request = dst, src, e.Reply, sent, at, reply
		m.Class, m.Tag = class, size
		e.transport.Post(id)
	}
}

// latestOf returns the time (ps) of the latest delivery to any of the endpoints.
func latestOf(endpoints []*endpoint) (latest int64) {
	for _, e := range endpoints {
		latest = max(latest, e.last)
	}
	return latest
}

// carried counts a delivered message by its time of delivery.
func (e *endpoint) carried(m *fabric.Message, at int64) {
	e.last = max(e.last, at)
	e.payload += m.Size
	b, bytes := e.bins.at(at), e.packet.WireOf(m.Size)
	b.bytes += bytes
	if e.classed != nil && e.from <= at && at < e.to {
		e.byClass.carried(m.Class, bytes)
	}
	b.delivered++
	h0, h1 := hashOf(m.Src, m.Dst, m.Size, m.Sent, at)
	b.hash[0] += h0
	b.hash[1] += h1
}

// complete counts a message, or a request with its reply, by its time of generation, sent. It
// records the latency if that time is within the measurement. size is the bit length of the
// message's size.
func (e *endpoint) complete(src, dst, size int32, sent, at int64, class uint8) {
	b := e.bins.at(sent)
	b.arrived++
	b.latency += at - sent
	if e.from > sent || sent >= e.to {
		return
	}
	e.latency.Record(at - sent)
	if e.classed != nil {
		e.byClass.completed(class, at-sent)
	}
	if e.distance != nil {
		e.classes.Record(int(size), e.distance(int(src/e.nics), int(dst/e.nics)), at-sent)
	}
}
