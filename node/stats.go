package node

import (
	"sync/atomic"

	"fabricast/internal/snapshot"
	"fabricast/internal/units"

	"fabricast/internal/histogram"
)

// tally is what a block counts about the messages that arrived at its ranks.
// All of it is integer sums, so the parts of several blocks add up exactly.
type tally struct {
	world    *shared
	messages int64
	bytes    int64
	looks    int64 // how often ranks have asked by TestNext what has completed
	hash     [2]uint64
	latency  latencies
	tracer   *tracer      // nil unless messages are told
	told     atomic.Int64 // messages that had arrived some windows ago
}

// delivered counts a message between world ranks. sent and at are in ps, size in bytes.
func (t *tally) delivered(source, dst, tag int32, size, sent, at int64) {
	t.message(source, dst, tag, size, sent, at)
	if far := t.world.spec.Distance; far != nil {
		hosts := t.world.hostOf
		t.latency.byDistance(max(0, far(int(hosts[source]), int(hosts[dst])))).Record(at - sent)
	}
}

// message counts a message between world ranks. sent and delivered are in ps, size in bytes.
func (t *tally) message(source, dst, tag int32, size, sent, delivered int64) {
	t.messages++
	t.bytes += size
	h0, h1 := messageHash(source, dst, tag, size, sent, delivered)
	t.hash[0] += h0
	t.hash[1] += h1
	t.latency.bySize(size).Record(delivered - sent)
	if t.tracer != nil {
		t.tracer.delivered(source, dst, tag, size, sent, delivered)
	}
}

// messageHash mixes all fields of a message into 128 bits. The sum over all messages is the result
// hash, which does not depend on their order.
func messageHash(source, dst, tag int32, size, sent, delivered int64) (uint64, uint64) {
	ranks := uint64(uint32(source))<<32 | uint64(uint32(dst))
	a, b := mix(ranks^0x243f6a8885a308d3), mix(ranks^0x13198a2e03707344)
	a, b = mix(a^uint64(uint32(tag))), mix(b+uint64(uint32(tag)))
	a, b = mix(a^uint64(size)), mix(b+uint64(size))
	a, b = mix(a^uint64(sent)), mix(b+uint64(sent))
	return mix(a ^ uint64(delivered)), mix(b + uint64(delivered))
}

// Stats sums up a run.
type Stats struct {
	Ranks    int
	Finished int         // ranks whose program has ended
	Messages int64       // that have arrived
	Bytes    units.Bytes // of payload in them
	Looks    int64       // how often ranks have asked by TestNext what has completed
	// hash over source, destination, tag, size, send time and delivery time of each message
	Hash  [2]uint64
	End   units.Time // ps: when the last rank ended
	Unmet int64      // messages that no receive has met, other than puts
	// the first stray message, at the lowest rank; nil if there is none
	Stray               *Stray
	Latency             histogram.Histogram // ps from send to delivery
	histogram.Latencies                     // by class
}

// Stray is a message that no receive has met. The source is a rank of the communicator of the send,
// the destination a world rank. The tag of a collective's message is chosen by its algorithm.
type Stray struct {
	Source, Destination, Tag int
	Size                     units.Bytes // bytes
	Collective               bool
}

// RankRecord is what one rank did. Times are in ps, sizes in bytes.
type RankRecord struct {
	Rank, Host                     int
	End                            units.Time // its clock: when its program ended
	Wait, Compute, Overhead        units.Time // spent waiting, computing, and in the library
	MessagesSent, MessagesReceived int64
	BytesSent, BytesReceived       units.Bytes
	// Network is the part of Wait in which the messages waited for were under way. Serialization is
	// the part of Network that their bytes take by themselves. NetworkWaits counts the waits with
	// such a part.
	Network, Serialization units.Time
	NetworkWaits           int64
}

// recordOf returns a copy of a rank's counters.
func recordOf(r *rank) RankRecord {
	c := &r.counters
	return RankRecord{
		Rank: int(r.id), Host: int(r.host), End: units.Time(r.clock),
		Wait: units.Time(c.wait), Compute: units.Time(c.compute), Overhead: units.Time(c.overhead),
		MessagesSent: int64(c.sentMessages), MessagesReceived: int64(c.receivedMessages),
		BytesSent: units.Bytes(c.sentBytes), BytesReceived: units.Bytes(c.receivedBytes),
	}
}

// state goes over what has been counted of messages.
func (t *tally) state(v *snapshot.Visitor) {
	snapshot.Value(v, &t.messages)
	snapshot.Value(v, &t.bytes)
	snapshot.Value(v, &t.looks)
	snapshot.Value(v, &t.hash)
	sizes := t.latency.sizes[:]
	histogram.StateOf(v, &sizes)
	histogram.StateOf(v, &t.latency.distances)
	t.told.Store(t.messages)
}

// add adds the sums of another process.
func (s *Stats) add(o *Stats) {
	s.Finished += o.Finished
	s.Messages += o.Messages
	s.Bytes += o.Bytes
	s.Looks += o.Looks
	s.Hash[0] += o.Hash[0]
	s.Hash[1] += o.Hash[1]
	s.End = units.Time(max(int64(s.End), int64(o.End)))
	s.Unmet += o.Unmet
	if o.Stray != nil && (s.Stray == nil || s.Stray.Destination > o.Stray.Destination) {
		s.Stray = o.Stray
	}
	s.Latency.Add(&o.Latency)
	s.Latencies.Add(&o.Latencies)
}

// in sets the context of the message that delivered reports next.
func (t *tally) in(context int32) {
	if t.tracer != nil {
		t.tracer.context = context
	}
}

// addLatencies adds what a block has counted.
func (s *Stats) addLatencies(l *latencies) {
	for class, h := range l.sizes {
		if h != nil {
			histogram.AddTo(&s.BySize, class, h)
			s.Latency.Add(h)
		}
	}
	for links, h := range l.distances {
		if h.Count() > 0 {
			histogram.AddTo(&s.ByDistance, links, h)
		}
	}
}
