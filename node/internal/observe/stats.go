package observe

import (
	"sync/atomic"

	"fabricast/node/internal/core"
	"fabricast/node/internal/model"

	"fabricast/internal/snapshot"
	"fabricast/internal/units"

	"fabricast/internal/histogram"
)

// Tally counts the messages that have arrived at the ranks of a block. All counters are integer
// sums, so the tallies of several blocks add up exactly.
type Tally struct {
	World     *core.Shared
	Messages  int64
	Bytes     int64
	Looks     int64 // number of TestNext calls
	Counts    [Counters]int64
	Notes     []Note
	Hash      [2]uint64
	Latency   Latencies
	Tracer    *BlockTracer // nil unless messages are traced
	Announced atomic.Int64 // number of messages that had arrived a few windows ago
}

// Counters is the number of sums that a program may keep by Ops.Count.
const Counters = 8

// Note is a number that a program keeps by Ops.Note, under a key.
type Note struct{ Key, Value int64 }

// Delivered counts a message between world ranks, and reports it to the tracer. sent and at are in
// ps, size is in bytes.
func (t *Tally) Delivered(source, dst, tag int32, size, sent, at int64) {
	t.message(source, dst, tag, size, sent, at)
	if far := t.World.Spec.Distance; far != nil {
		hosts := t.World.HostOf
		t.Latency.byDistance(max(0, far(int(hosts[source]), int(hosts[dst])))).Record(at - sent)
	}
}

// message counts a message between world ranks. sent and delivered are in ps, size is in bytes.
func (t *Tally) message(source, dst, tag int32, size, sent, delivered int64) {
	t.Messages++
	t.Bytes += size
	h0, h1 := MessageHash(source, dst, tag, size, sent, delivered)
	t.Hash[0] += h0
	t.Hash[1] += h1
	t.Latency.bySize(size).Record(delivered - sent)
	if classes := t.World.Spec.Classes; classes != nil {
		t.Latency.inClass(model.ClassOf(classes, size), size, delivered-sent)
	}
	if t.Tracer != nil {
		t.Tracer.delivered(source, dst, tag, size, sent, delivered)
	}
}

// MessageHash mixes all fields of a message into 128 bits. The sum over all messages is the result
// hash, which does not depend on their order.
func MessageHash(source, dst, tag int32, size, sent, delivered int64) (uint64, uint64) {
	ranks := uint64(uint32(source))<<32 | uint64(uint32(dst))
	a, b := model.Mix(ranks^0x243f6a8885a308d3), model.Mix(ranks^0x13198a2e03707344)
	a, b = model.Mix(a^uint64(uint32(tag))), model.Mix(b+uint64(uint32(tag)))
	a, b = model.Mix(a^uint64(size)), model.Mix(b+uint64(size))
	a, b = model.Mix(a^uint64(sent)), model.Mix(b+uint64(sent))
	return model.Mix(a ^ uint64(delivered)), model.Mix(b + uint64(delivered))
}

// Stats holds the totals of a run.
type Stats struct {
	Ranks    int
	Finished int         // number of ranks whose program has ended
	Messages int64       // number of messages that have arrived
	Bytes    units.Bytes // their payload
	Looks    int64       // number of TestNext calls
	// Counts are the sums of what programs have passed to Ops.Count.
	Counts [Counters]int64
	// Notes are what programs have passed to Ops.Note, in any order.
	Notes []Note
	// Hash is the sum of MessageHash over all messages.
	Hash  [2]uint64
	End   units.Time // ps: when the last rank ended
	Unmet int64      // number of messages, other than puts, that no receive has matched
	// Stray is the first such message at the lowest rank; nil if there is none.
	Stray               *Stray
	Latency             histogram.Histogram // ps from send to delivery
	histogram.Latencies                     // by size, distance and class
	// ClassBytes is the payload of the messages of each class (bytes); nil if the world has none.
	ClassBytes []int64
}

// Stray is a message that no receive has matched. The source is a rank of the sender's
// communicator, the destination a world rank. The tag of a collective's message is chosen by its
// algorithm.
type Stray struct {
	Source, Destination, Tag int
	Size                     units.Bytes // bytes
	Collective               bool
}

// RankRecord holds the totals of one rank. Times are in ps, sizes in bytes.
type RankRecord struct {
	Rank, Host                     int
	End                            units.Time // time on its clock when its program ended
	Wait, Compute, Overhead        units.Time // time spent waiting, computing, and in the library
	MessagesSent, MessagesReceived int64
	BytesSent, BytesReceived       units.Bytes
	// Network is the part of Wait during which the awaited messages were in flight. Serialization
	// is the part of Network that the messages' bytes take on their own. NetworkWaits counts the
	// waits with such a part.
	Network, Serialization units.Time
	NetworkWaits           int64
}

// RecordOf returns a copy of a rank's counters.
func RecordOf(r *core.Rank) RankRecord {
	c := &r.Counters
	return RankRecord{
		Rank: int(r.ID), Host: int(r.Host), End: units.Time(r.Clock),
		Wait: units.Time(c.Wait), Compute: units.Time(c.Compute), Overhead: units.Time(c.Overhead),
		MessagesSent: int64(c.SentMessages), MessagesReceived: int64(c.ReceivedMessages),
		BytesSent: units.Bytes(c.SentBytes), BytesReceived: units.Bytes(c.ReceivedBytes),
	}
}

// State saves or restores the counts of messages.
func (t *Tally) State(v *snapshot.Visitor) {
	snapshot.Value(v, &t.Messages)
	snapshot.Value(v, &t.Bytes)
	snapshot.Value(v, &t.Looks)
	snapshot.Value(v, &t.Counts)
	snapshot.List(v, &t.Notes)
	snapshot.Value(v, &t.Hash)
	sizes := t.Latency.sizes[:]
	histogram.StateOf(v, &sizes)
	histogram.StateOf(v, &t.Latency.distances)
	histogram.StateOf(v, &t.Latency.classes)
	snapshot.List(v, &t.Latency.bytes)
	t.Announced.Store(t.Messages)
}

// Add adds the totals of another process.
func (s *Stats) Add(o *Stats) {
	s.Finished += o.Finished
	s.Messages += o.Messages
	s.Bytes += o.Bytes
	s.Looks += o.Looks
	for i, n := range o.Counts {
		s.Counts[i] += n
	}
	s.Notes = append(s.Notes, o.Notes...)
	s.Hash[0] += o.Hash[0]
	s.Hash[1] += o.Hash[1]
	s.End = units.Time(max(int64(s.End), int64(o.End)))
	s.Unmet += o.Unmet
	if o.Stray != nil && (s.Stray == nil || s.Stray.Destination > o.Stray.Destination) {
		s.Stray = o.Stray
	}
	s.Latency.Add(&o.Latency)
	s.Latencies.Add(&o.Latencies)
	s.AddClassBytes(o.ClassBytes)
}

// AddClassBytes adds payloads of classes.
func (s *Stats) AddClassBytes(bytes []int64) {
	for class, n := range bytes {
		for class >= len(s.ClassBytes) {
			s.ClassBytes = append(s.ClassBytes, 0)
		}
		s.ClassBytes[class] += n
	}
}

// In sets the context of the message that is reported next by Delivered.
func (t *Tally) In(context int32) {
	if t.Tracer != nil {
		t.Tracer.context = context
	}
}

// AddLatencies adds the latencies of a block.
func (s *Stats) AddLatencies(l *Latencies) {
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
	for class, h := range l.classes {
		if h.Count() > 0 {
			histogram.AddTo(&s.ByClass, class, h)
		}
	}
	s.AddClassBytes(l.bytes)
}
