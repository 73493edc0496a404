package node

import (
	"sync/atomic"

	"fabricast/internal/units"

	"fabricast/internal/histogram"
)

// tally is what a block counts about the messages that arrived at its ranks.
// All of it is integer sums, so the parts of several blocks add up exactly.
type tally struct {
	world    *World
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

// mix returns a bijection of 64-bit words in which every input bit reaches every output bit.
func mix(x uint64) uint64 {
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	x = (x ^ x>>32) * 0x9e3779b97f4a7c15
	return x ^ x>>29
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

// Stats returns the sums over all blocks. No block may be running.
func (w *World) Stats() *Stats {
	s := &Stats{Ranks: len(w.hostOf)}
	for _, b := range w.blocks.all() {
		s.Messages += b.stats.messages
		s.Bytes += units.Bytes(b.stats.bytes)
		s.Looks += b.stats.looks
		s.Hash[0] += b.stats.hash[0]
		s.Hash[1] += b.stats.hash[1]
		s.addLatencies(&b.stats.latency)
		s.Finished += int(b.programs.finished.Load())
		for i := range b.ranks {
			r := &b.ranks[i]
			s.End = units.Time(max(int64(s.End), r.clock))
			for id := range b.matching.unexpectedOf(r) {
				u := b.matching.unexpected.at(id)
				if ofPuts(u.context) {
					continue // it is complete, whether its rank polls for it or not
				}
				if s.Unmet++; s.Stray == nil || s.Stray.Destination > int(r.id) {
					s.Stray = &Stray{
						Source:      int(u.source),
						Destination: int(r.id),
						Tag:         int(u.tag),
						Size:        units.Bytes(u.size),
						Collective:  u.context%contextsOfEach == Collectives,
					}
				}
			}
		}
	}
	if w.elsewhere != nil {
		for i := range w.elsewhere.stats {
			s.add(&w.elsewhere.stats[i])
		}
	}
	return s
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

// Record returns what a rank did. No block may be running.
func (w *World) Record(id int) RankRecord {
	b, r := w.locate(int32(id))
	if r == nil && w.elsewhere != nil && w.elsewhere.records != nil {
		return w.elsewhere.records[id]
	}
	if r == nil {
		return RankRecord{Rank: id, Host: int(w.hostOf[id])}
	}
	record := r.record()
	if b.times.by != nil {
		w := b.times.by[b.world.slot(r.id)]
		record.Network, record.Serialization = units.Time(w.network), units.Time(w.serialization)
		record.NetworkWaits = int64(w.messages)
	}
	return record
}

// record returns a copy of the rank's counters.
func (r *rank) record() RankRecord {
	c := &r.counters
	return RankRecord{
		Rank: int(r.id), Host: int(r.host), End: units.Time(r.clock),
		Wait: units.Time(c.wait), Compute: units.Time(c.compute), Overhead: units.Time(c.overhead),
		MessagesSent: int64(c.sentMessages), MessagesReceived: int64(c.receivedMessages),
		BytesSent: units.Bytes(c.sentBytes), BytesReceived: units.Bytes(c.receivedBytes),
	}
}
