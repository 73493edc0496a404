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

// places are the hosts of the network among which there is traffic. The pattern numbers them from
// 0.
type places struct {
	hosts   []int32         // by number
	numbers map[int32]int32 // by host
	slots   []int32         // by number: the host's place among those of its block
}

// host is the host of the network with a number of the pattern.
func (p *places) host(number int32) int32 {
	if p == nil {
		return number
	}
	return p.hosts[number]
}

// number is the way back.
func (p *places) number(host int32) int32 {
	if p == nil {
		return host
	}
	return p.numbers[host]
}

// Background is traffic among some hosts of a network, beside whatever the others do. It is not
// measured in phases: it goes on from a time to another, or until Stop.
type Background struct {
	gen       *generator
	until     int64
	endpoints []*endpoint
	others    []Carriage // of other processes, after Share
}

// Carriage is what a Background has had the network carry.
type Carriage struct {
	Messages  int64 // that have been delivered, requests and replies each for itself
	Generated int64 // of them all, but replies
	Payload   int64 // bytes, of those that have been delivered
	Last      int64 // ps: the latest delivery
	Hash      [2]uint64
	// ps from generation to delivery, of closed loops to that of the reply
	Latency histogram.Histogram
}

// NewBackground makes traffic among the hosts, which the pattern of the load numbers from 0 in
// their order. Messages are generated in [from, until), in ps.
func NewBackground(spec fabric.Spec, load Load, hosts []int32, from, until int64) (*Background, error) {
	g, err := newGenerator(spec, load)
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

// NewBlock makes the endpoint for those of some hosts that have traffic. Each has to be woken when
// the traffic begins, unless its state is restored. All blocks but those are made before any is
// used.
func (b *Background) NewBlock(t fabric.Transport, hosts iter.Seq[int32]) fabric.Endpoint {
	const oneBin = 62 // as many ps as there will ever be, as a power of two
	e := b.gen.newEndpoint(t, fabric.HostRange(0, 0), oneBin)
	slot := int32(0)
	for h := range hosts {
		if number, ok := b.gen.places.numbers[h]; ok {
			b.gen.places.slots[number] = slot
			slot++
		}
	}
	e.sources = make([]source, slot*b.gen.nics)
	e.from, e.until = 0, b.until
	b.endpoints = append(b.endpoints, e)
	return e
}

// Leave removes an endpoint of NewBlock, whose hosts go on in another process.
func (b *Background) Leave(e fabric.Endpoint) {
	b.endpoints = slices.DeleteFunc(b.endpoints, func(other *endpoint) bool { return other == e })
}

// Has reports whether a host has traffic.
func (b *Background) Has(host int32) bool {
	_, ok := b.gen.places.numbers[host]
	return ok
}

// Begin is when the traffic begins (ps).
func (b *Background) Begin() int64 { return b.gen.offset }

// Stop ends the traffic at a time (ps), if it does not end before. No block may be running.
func (b *Background) Stop(at int64) {
	for _, e := range b.endpoints {
		e.until = min(e.until, at)
	}
}

// Endless reports whether the traffic goes on until Stop.
func (b *Background) Endless() bool { return b.until == math.MaxInt64 }

// Latest returns the latest time of a delivery in this process (ps), which is known before that time. No
// block may be running.
func (b *Background) Latest() int64 { return latestOf(b.endpoints) }

// Carriage adds up what the blocks have counted. No block may be running.
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

// Share makes the sums of all processes known to all, for Carriage. No block may be running.
func (b *Background) Share(g cluster.Group) {
	b.others = nil
	for p, of := range cluster.GatherValues(g, *b.Carriage()) {
		if p != g.Rank() {
			b.others = append(b.others, of)
		}
	}
}
