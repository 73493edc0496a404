package traffic

import (
	"fmt"
	"math"
	"math/bits"

	"fabricast/fabric"
	"fabricast/internal/snapshot"
)

// Incast is an overlay of periodic incasts over an open loop with Load.Concurrent: at every multiple of
// Interval some random hosts send a message each to another one, at the same time.
type Incast struct {
	FanIn    int   // number of senders; 0: there are no incasts
	Size     int64 // payload of each message (bytes)
	Interval int64 // ps
}

// ofIncast is the Message.Tag of messages of incasts.
const ofIncast = 1

// incasts holds the parameters of an Incast that all endpoints share. It is immutable.
type incasts struct {
	Incast
	seed  uint64
	hosts int32 // number of hosts with traffic
}

// newIncasts checks the incasts of a load for so many hosts.
func newIncasts(l *Load, hosts int) (incasts, error) {
	c := incasts{l.Incast, mix(l.Seed ^ 0x696e63617374), int32(hosts)}
	if c.FanIn != 0 && (c.FanIn < 0 || c.FanIn >= hosts || c.Interval <= 0 || !l.Concurrent || l.Window > 0) {
		return c, fmt.Errorf("incasts of %d among %d hosts, every %d ps", c.FanIn, hosts, c.Interval)
	}
	return c, nil
}

// target returns the position of the host to which an incast goes.
func (c *incasts) target(number uint64) int32 {
	d := drawsOf(c.seed, 0, number)
	return int32(d.Below(int(c.hosts)))
}

// sends reports whether the host at a position sends a message of an incast: the senders are the
// first of the other hosts in a random order.
func (c *incasts) sends(number uint64, place int32) bool {
	target := c.target(number)
	if place == target {
		return false
	}
	others := uint32(c.hosts - 1)
	at := uint32(place-target-1+c.hosts) % uint32(c.hosts) // from 0 to others-1
	return shuffled(at, others, mix(c.seed+number*golden)) < uint32(c.FanIn)
}

// shuffled returns the place of one of n numbers in an order that depends on a key: a Feistel cipher,
// applied until its result is one of them (Black and Rogaway, CT-RSA 2002).
func shuffled(x, n uint32, key uint64) uint32 {
	half := (bits.Len32(n-1) + 1) / 2
	mask := uint32(1)<<half - 1
	for {
		left, right := x>>half, x&mask
		for round := range uint64(4) {
			left, right = right, left^uint32(mix(key^uint64(right)<<8^round)>>32)&mask
		}
		if x = left<<half | right; x < n {
			return x
		}
	}
}

// nextIncast returns the number of the first incast from a number on in which a host sends; ok is false
// if there is none for a very long time.
func (c *incasts) next(number uint64, place int32) (next uint64, ok bool) {
	const most = 1 << 20
	for range most {
		if number > math.MaxInt64/2/uint64(c.Interval) {
			return 0, false
		}
		if c.sends(number, place) {
			return number, true
		}
		number++
	}
	return 0, false
}

// dueIncasts posts the messages of incasts that a host sends now. It returns the time (ps) of its next
// one; fabric.Forever if there is none.
func (e *endpoint) dueIncasts(place int32, now int64) int64 {
	c := &e.incasts
	if c.FanIn == 0 {
		return fabric.Forever
	}
	turn := &e.turns[e.sourceOf(place*e.nics)/e.nics]
	for {
		number, ok := c.next(*turn, place)
		if !ok {
			return fabric.Forever
		}
		*turn = number
		at := e.offset + int64(number)*c.Interval
		if at > now || now >= e.until {
			return at
		}
		id, m := e.transport.NewMessage()
		nic := int32(number % uint64(e.nics))
		m.Src, m.Dst = e.places.host(place)*e.nics+nic, e.places.host(c.target(number))*e.nics+nic
		m.Size, m.Sent, m.Post, m.Tag, m.Class = c.Size, at, at, ofIncast, e.Class
		*turn = number + 1
		e.transport.Post(id)
	}
}

// incastDelivered counts a message of an incast. It is not part of the traffic that is offered and
// accepted.
func (e *endpoint) incastDelivered(m *fabric.Message, at int64) {
	e.last = max(e.last, at)
	e.payload += m.Size
	b := e.bins.at(at)
	b.delivered++
	h0, h1 := hashOf(m.Src, m.Dst, m.Size, m.Sent, at)
	b.hash[0] += h0
	b.hash[1] += h1
	if e.ideal != nil && e.from <= m.Sent && m.Sent < e.to {
		e.byIncast.record(int32(bits.Len64(uint64(m.Size))), at-m.Sent, e.ideal(m.Src, m.Dst, m.Size))
	}
}

// stateOfIncasts saves or restores the number of the next incast of each host.
func (e *endpoint) stateOfIncasts(v *snapshot.Visitor) {
	snapshot.List(v, &e.turns)
	e.byIncast.state(v)
}
