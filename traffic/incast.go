package traffic

import (
	"fmt"
	"math/bits"

	"fabricast/fabric"
	"fabricast/internal/snapshot"
)

// Incast is an overlay of periodic incasts over an open loop with Load.Concurrent: at every multiple
// of Interval some random hosts send a message each to another one, at the same time.
type Incast struct {
	FanIn    int   // number of senders; 0: there are no incasts
	Size     int64 // payload of each message (bytes)
	Interval int64 // ps
}

// ofIncast is the Message.Tag of messages of incasts.
const ofIncast = 1

// incasts holds the parameters of an Incast, which all endpoints share. It is immutable.
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

// shuffled returns the place of one of n numbers in an order that depends on a key: a Feistel
// cipher, applied until its result is one of them (Black and Rogaway, CT-RSA 2002).
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

// next returns the number of the first incast, from a number on and below an end, in which a host
// sends; the end if there is none.
func (c *incasts) next(number, end uint64, place int32) uint64 {
	for number < end && !c.sends(number, place) {
		number++
	}
	return number
}

// before returns the number of incasts before a time (ps) after the start of the traffic.
func (c *incasts) before(time int64) uint64 {
	if c.FanIn == 0 || time <= 0 {
		return 0
	}
	return uint64((time-1)/c.Interval) + 1
}

// turn returns the number of the next incast that has not been looked at for a host.
func (e *endpoint) turn(place int32) *uint64 {
	return &e.turns[e.sourceOf(place*e.nics)/e.nics]
}

// postIncasts posts the messages of incasts that a host sends up to now.
func (e *endpoint) postIncasts(place int32, now int64) {
	turn, end := e.turn(place), e.incasts.before(min(now+1, e.until)-e.offset)
	next := func(from uint64) uint64 { return e.incasts.next(from, end, place) }
	for *turn = next(*turn); *turn < end; *turn = next(*turn + 1) {
		e.postIncast(place, *turn)
	}
}

// postIncast posts the message of a host in an incast.
func (e *endpoint) postIncast(place int32, number uint64) {
	id, m := e.transport.NewMessage()
	nic := int32(number % uint64(e.nics))
	to := e.incasts.target(number)
	m.Src, m.Dst = e.places.host(place)*e.nics+nic, e.places.host(to)*e.nics+nic
	m.Sent = e.offset + int64(number)*e.incasts.Interval
	m.Size, m.Post, m.Tag, m.Class = e.incasts.Size, m.Sent, ofIncast, e.Class
	if !e.apart(m) {
		e.bins.at(m.Sent).generated++
	}
	e.transport.Post(id)
}

// incastUntil returns when (ps) a host sends its next message of an incast, or a time if it sends
// none before that. Incasts after the time are not looked at: the host wakes then.
func (e *endpoint) incastUntil(place int32, time int64) int64 {
	turn, end := e.turn(place), e.incasts.before(time-e.offset)
	if *turn = e.incasts.next(*turn, end, place); *turn < end {
		return e.offset + int64(*turn)*e.incasts.Interval
	}
	return time
}

// apart reports whether a message is one of an incast that is measured apart: it is not part of the
// traffic that is offered and accepted. A Background is not measured and counts all messages alike.
func (e *endpoint) apart(m *fabric.Message) bool {
	return m.Tag == ofIncast && e.incasts.FanIn > 0 && e.places == nil
}

// incastDelivered counts a message of an incast that is measured apart.
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
