package ethernet

import "fabricast/ethernet/control"

// mostHops limits how many hops a packet tells of; what later switches write is left out.
const mostHops = 10

// measured is what switches have written into a packet.
type measured struct {
	hops [mostHops]control.Hop
	n    int
	next uint32
}

// telemetry holds what switches have written into the packets of a block. It is known by its index;
// 0 stands for nothing.
type telemetry struct {
	list []measured
	free uint32
}

// take returns a new place.
func (t *telemetry) take() uint32 {
	if id := t.free; id != 0 {
		t.free = t.list[id].next
		t.list[id].n = 0
		return id
	}
	if len(t.list) == 0 {
		t.list = append(t.list, measured{})
	}
	t.list = append(t.list, measured{})
	return uint32(len(t.list) - 1)
}

// add writes what a switch tells at a place, or at a new one if that is 0.
func (t *telemetry) add(place *uint32, h control.Hop) {
	if *place == 0 {
		*place = t.take()
	}
	if m := &t.list[*place]; m.n < mostHops {
		m.hops[m.n] = h
		m.n++
	}
}

// of returns what is at a place.
func (t *telemetry) of(place uint32) []control.Hop {
	if place == 0 {
		return nil
	}
	m := &t.list[place]
	return m.hops[:m.n]
}

// give returns a place for reuse.
func (t *telemetry) give(place uint32) {
	if place != 0 {
		t.list[place].next = t.free
		t.free = place
	}
}
