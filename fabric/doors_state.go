package fabric

import (
	"errors"

	"fabricast/internal/offheap"
	"fabricast/internal/snapshot"
)

// doors is a block's part of the doors of a network (see Doors). It has the state of routers, ports
// and NICs, what packets carry for it, and what routers have to do for it at which time.
type doors struct {
	*Doors
	b   *nics
	g   *general
	all doorState

	riders    array[rider] // by parcel
	senders   flowTable    // of the flows from the block's NICs
	receivers flowTable    // of the flows to them
	works     []work       // [0] is none
	freeWork  uint32       // the one done last, which links to the one before; 0 = none
	counts    doorCounts
	raised    bool // links of the visited router may have a packet to send at this instant

	// arguments of functions
	start     Start
	ejection  Ejection
	departure Departure
	flow      Flow
	passing   Passing
	taken     Taken
}

// doorNIC is what doors know of a NIC.
type doorNIC struct {
	head, tail     uint32 // replies to be sent; 0 = none
	packets, flits uint64 // of replies that it has sent
}

// doorCounts are the packets of a block that agents have taken in, made and consumed.
type doorCounts struct{ inside, made, consumed uint64 }

// doorState is the state of doors of all blocks, besides that of flows.
type doorState struct {
	ports, senders, receivers, agents array[uint64] // words of state, see Doors
	nics                              array[doorNIC]
	heads                             array[uint32] // by router: its first work
}

// newDoorState allocates the state of the doors of a Spec that has them.
func newDoorState(a *offheap.Arena, l *layout) (*doorState, error) {
	var s doorState
	d, nics := l.spec.Doors, len(l.spec.Graph.NICPort)
	err := errors.Join(s.nics.reserve(a, nics), s.heads.reserve(a, len(l.routers)))
	if h := d.Hooks; h != nil {
		err = errors.Join(err, s.ports.reserve(a, int(l.nicPorts)*h.PortState),
			s.receivers.reserve(a, nics*h.NICState))
	}
	if i := d.Injector; i != nil {
		err = errors.Join(err, s.senders.reserve(a, nics*i.NICState))
	}
	if x := d.Agent; x != nil {
		err = errors.Join(err, s.agents.reserve(a, len(l.routers)*x.State))
	}
	return &s, err
}

// newDoors returns a block's doors; nil if the network has none.
func newDoors(g *general, s *doorState, riders array[rider]) *doors {
	if s == nil {
		return nil
	}
	d := &doors{Doors: g.b.spec.Doors, b: g.b, g: g, all: *s, riders: riders, works: make([]work, 1)}
	if d.Injector != nil {
		d.senders.words = d.Injector.FlowState
	}
	if d.Hooks != nil {
		d.receivers.words = d.Hooks.FlowState
		d.start.RouterView = &hookView{d: d}
	}
	d.scheduleEvents()
	return d
}

// stateOf returns the words of state of an element of an array that has so many for each.
func stateOf(all *array[uint64], element uint32, words int) []uint64 {
	if words == 0 {
		return nil
	}
	return all.slice(element*uint32(words), uint32(words))
}

// share goes over the part of the arrays that belongs to some routers.
func (s *doorState) share(v *snapshot.Visitor, d *Doors, x extent) {
	snapshot.Values(v, s.heads.slice(x.first, x.count))
	for _, run := range x.hosts {
		snapshot.Values(v, s.nics.slice(run.nic, run.nics))
	}
	if h := d.Hooks; h != nil {
		of := uint32(h.PortState)
		snapshot.Values(v, s.ports.slice(x.ports*of, (x.endPorts-x.ports)*of))
		for _, run := range x.hosts {
			snapshot.Values(v, s.receivers.slice(run.nic*uint32(h.NICState), run.nics*uint32(h.NICState)))
		}
	}
	if i := d.Injector; i != nil {
		for _, run := range x.hosts {
			snapshot.Values(v, s.senders.slice(run.nic*uint32(i.NICState), run.nics*uint32(i.NICState)))
		}
	}
	if a := d.Agent; a != nil {
		snapshot.Values(v, s.agents.slice(x.first*uint32(a.State), x.count*uint32(a.State)))
	}
}

// state goes over what a block has of doors besides its share of the arrays.
func (d *doors) state(v *snapshot.Visitor, used uint32) {
	p := &d.g.pool
	within(v, &d.riders, p.own.first, p.used, used)
	d.senders.state(v)
	d.receivers.state(v)
	snapshot.List(v, &d.works)
	snapshot.Value(v, &d.freeWork)
	snapshot.Value(v, &d.counts)
}

// flowTable holds words of state of flows, by the two NICs of each.
type flowTable struct {
	words  int      // of a flow
	keys   []uint64 // of a hash table, a power of two; 0 = free
	values []uint64 // their words
	used   uint64
}

// of returns the words of a flow between a NIC and another, zero at first.
func (t *flowTable) of(nic, other int32) []uint64 {
	if t.words == 0 {
		return nil
	}
	if t.used*4 >= uint64(len(t.keys))*3 {
		t.grow()
	}
	key := uint64(uint32(nic))<<32 | uint64(uint32(other)+1)
	i := t.place(key)
	if t.keys[i] == 0 {
		t.keys[i] = key
		t.used++
	}
	return t.values[i*t.words : (i+1)*t.words : (i+1)*t.words]
}

// place returns the place of a key, or the free one where it belongs.
func (t *flowTable) place(key uint64) int {
	mask := len(t.keys) - 1
	i := int(key*0x9e3779b97f4a7c15>>32) & mask
	for t.keys[i] != 0 && t.keys[i] != key {
		i = (i + 1) & mask
	}
	return i
}

// grow doubles the table.
func (t *flowTable) grow() {
	old := *t
	size := max(16, 2*len(old.keys))
	t.keys, t.values = make([]uint64, size), make([]uint64, size*t.words)
	for i, key := range old.keys {
		if key != 0 {
			at := t.place(key)
			t.keys[at] = key
			copy(t.values[at*t.words:], old.values[i*t.words:(i+1)*t.words])
		}
	}
}

// state goes over the table.
func (t *flowTable) state(v *snapshot.Visitor) {
	snapshot.Value(v, &t.used)
	snapshot.List(v, &t.keys)
	snapshot.List(v, &t.values)
}

// forecastDoors returns how much memory (bytes) doors take besides packets and flows.
func forecastDoors(s *Spec) int64 {
	d := s.Doors
	if d == nil {
		return 0
	}
	nics, routers, words := int64(len(s.Graph.NICPort)), int64(s.Graph.Routers), int64(0)
	if h := d.Hooks; h != nil {
		words += int64(h.PortState)*int64(len(s.Graph.Ports)) + int64(h.NICState)*nics
	}
	if i := d.Injector; i != nil {
		words += int64(i.NICState) * nics
	}
	if a := d.Agent; a != nil {
		words += int64(a.State) * routers
	}
	return 8*words + nics*sizeOf[doorNIC]() + routers*(4+sizeOf[work]())
}
