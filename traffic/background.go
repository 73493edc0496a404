package traffic

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"fabricast/fabric"
	"fabricast/internal/cluster"
	"fabricast/internal/histogram"
)

// places holds the hosts that have traffic, if these are not all hosts. The pattern refers to them
// by their positions in hosts.
type places struct {
	hosts   []int32         // host ID, by position
	numbers map[int32]int32 // position, by host ID
	slots   []int32         // by position: index of the host among the hosts with traffic of its partition block
}

// host returns the host ID at a position.
func (p *places) host(number int32) int32 {
	if p == nil {
		return number
	}
	return p.hosts[number]
}

// number returns the position of a host.
func (p *places) number(host int32) int32 {
	if p == nil {
		return host
	}
	return p.numbers[host]
}

// Background is traffic between some hosts of a network, while other hosts run programs. It has no
// warm-up and measurement phases. It lasts from a start time to an end time, or until Stop.
type Background struct {
	gen       *generator
	until     int64
	endpoints []*endpoint
	others    []Carriage // counts of the other processes; set by Share
}

// Carriage counts the messages that a Background has sent.
type Carriage struct {
	Messages  int64 // delivered messages; a request and its reply count as two
	Generated int64 // generated messages, without replies
	Payload   int64 // bytes of payload in delivered messages
	Last      int64 // time of the latest delivery (ps)
	Hash      [2]uint64
	// time (ps) from generation to delivery; in a closed loop, to the delivery of the reply
	Latency histogram.Histogram
}

// NewBackground creates traffic between the given hosts. The pattern of the load refers to them by
// their positions in the slice. Messages are generated at times in [from, until), in ps.
func NewBackground(spec fabric.Spec, load Load, hosts []int32, from, until int64) (*Background, error) {
	g, err := newGenerator(spec, load, len(hosts))
	if err != nil {
		return nil, err
	}
	p := &places{hosts: hosts, numbers: make(map[int32]int32, len(hosts)), slots: make([]int32, len(hosts))}
	for i, h := range hosts {
		if _, twice := p.numbers[h]; twice {
			return nil, fmt.Errorf("traffic: host %d is named twice", h)
		}
		p.numbers[h] = int32(i)
	}
	g.places, g.offset = p, from
	return &Background{gen: g, until: until}, nil
}

// NewBlock creates the endpoint of a partition block for those of the given hosts that have
// traffic. The caller must wake each of these hosts when the traffic starts, unless its state is
// restored from a checkpoint. All endpoints must be created before any is used.
func (b *Background) NewBlock(t fabric.Transport, hosts iter.Seq[int32]) fabric.Endpoint {
	const oneBin = 62 // 2^62 ps, longer than any run
	e := b.gen.newEndpoint(t, fabric.HostRange(0, 0), oneBin)
	slot := int32(0)
	for h := range hosts {
		if number, ok := b.gen.places.numbers[h]; ok {
			b.gen.places.slots[number] = slot
			slot++
		}
	}
	e.room(slot)
	e.from, e.until = 0, b.until
	b.endpoints = append(b.endpoints, e)
	return e
}

// Leave removes an endpoint created by NewBlock, because its hosts move to another process.
func (b *Background) Leave(e fabric.Endpoint) {
	b.endpoints = slices.DeleteFunc(b.endpoints, func(other *endpoint) bool { return other == e })
}

// Has reports whether a host has traffic.
func (b *Background) Has(host int32) bool {
	_, ok := b.gen.places.numbers[host]
	return ok
}

// Begin returns the start time of the traffic (ps).
func (b *Background) Begin() int64 { return b.gen.offset }

// Stop ends the traffic at the given time (ps), unless it ends earlier. No partition block may be
// running.
func (b *Background) Stop(at int64) {
	for _, e := range b.endpoints {
		e.until = min(e.until, at)
	}
}

// Endless reports whether the traffic lasts until Stop.
func (b *Background) Endless() bool { return b.until == math.MaxInt64 }

// Latest returns the time (ps) of the latest delivery in this process. It may be later than the
// simulated time reached. No partition block may be running.
func (b *Background) Latest() int64 { return latestOf(b.endpoints) }

// Carriage returns the sum of the counts of all partition blocks. No block may be running.
func (b *Background) Carriage() *Carriage {
	c := &Carriage{}
	var sum bin
	for _, e := range b.endpoints {
		for i := range e.bins.list {
			sum.add(&e.bins.list[i])
		}
		c.Latency.Add(&e.latency)
		c.Payload += e.payload
	}
	c.Last = b.Latest()
	c.Messages, c.Generated, c.Hash = sum.delivered, sum.generated, sum.hash
	for i := range b.others {
		c.add(&b.others[i])
	}
	return c
}

func (c *Carriage) add(o *Carriage) {
	c.Messages += o.Messages
	c.Generated += o.Generated
	c.Payload += o.Payload
	c.Last = max(c.Last, o.Last)
	c.Hash[0] += o.Hash[0]
	c.Hash[1] += o.Hash[1]
	c.Latency.Add(&o.Latency)
}

// Share exchanges the counts of all processes, so that Carriage includes them. No partition block
// may be running.
func (b *Background) Share(g cluster.Group) {
	b.others = nil
	for p, of := range cluster.GatherValues(g, *b.Carriage()) {
		if p != g.Rank() {
			b.others = append(b.others, of)
		}
	}
}
