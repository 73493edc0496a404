package switched

import (
	"errors"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/model"
	"fabricast/internal/offheap"
	"fabricast/internal/snapshot"
	"fabricast/routing"
)

// Doors is a block's part of the doors of a network (see model.Doors). It has the state of routers,
// ports and NICs, the data that packets carry for doors, and the scheduled work of routers.
type Doors struct {
	*model.Doors
	b   *nic.NICs
	g   *Routers
	all DoorState

	renewed   routing.Renewed        // Spec.Adaptive, if that has epochs
	riders    core.Array[core.Rider] // rider of each packet
	senders   flowTable              // state of the flows from the block's NICs
	receivers flowTable              // state of the flows to the block's NICs
	works     []work                 // scheduled actions by index; index 0 is not used
	freeWork  uint32                 // head of the list of free elements of works; 0: empty
	Counts    doorCounts
	outages   map[uint32][]outage   // by port of the layout; nil unless Retry
	downs     map[direction][]int64 // when directions go down (ps); nil without a Timeout
	settled   int64                 // time of the last event or epoch (ps)
	raised    bool                  // links of the active router may have a packet to send at this instant

	// arguments of door functions
	start     model.Start
	ejection  model.Ejection
	departure model.Departure
	flow      model.Flow
	passing   model.Passing
	taken     model.Taken
}

// doorNIC is the state of doors at a NIC.
type doorNIC struct {
	head, tail     uint32 // first and last reply to be sent; 0: none
	lost, lastLost uint32 // first and last packet to be sent again, as works of the block; 0: none
	Packets        uint64 // number of replies that the NIC has sent
	Repeats        uint64 // number of packets that it has sent again
	Flits          uint64 // number of flits of both
	class          uint32 // 1 + the link class with whose rate it sends; 0: that of its port
	down           bool   // no packet starts to its router
	_              [3]byte
	refused        int64 // 1 + since when the injector has held back its next packet (ps); 0: it has not
}

// doorCounts counts the packets of a block that agents have received, created and consumed.
type doorCounts struct{ Inside, Made, Consumed uint64 }

// DoorState is the state of the doors of all blocks, except for that of flows.
type DoorState struct {
	ports, senders, receivers, agents core.Array[uint64] // words of state, see model.Doors
	NICs                              core.Array[doorNIC]
	heads                             core.Array[uint32] // by router: index of its first work
	lost                              core.Array[uint32] // by router: the root of its heap of lost packets
}

// NewDoorState allocates the state of a Spec's doors.
func NewDoorState(a *offheap.Arena, l *core.Layout) (*DoorState, error) {
	var s DoorState
	d, nics := l.Spec.Doors, len(l.Spec.Graph.NICPort)
	err := errors.Join(s.NICs.Reserve(a, nics), s.heads.Reserve(a, len(l.Routers)), s.lost.Reserve(a, len(l.Routers)))
	if h := d.Hooks; h != nil {
		err = errors.Join(err, s.ports.Reserve(a, int(l.FirstNICPort)*h.PortState),
			s.receivers.Reserve(a, nics*h.NICState))
	}
	if i := d.Injector; i != nil {
		err = errors.Join(err, s.senders.Reserve(a, nics*i.NICState))
	}
	if x := d.Agent; x != nil {
		err = errors.Join(err, s.agents.Reserve(a, len(l.Routers)*x.State))
	}
	return &s, err
}

// NewDoors returns a block's doors, or nil if the network has none.
func NewDoors(g *Routers, s *DoorState, riders core.Array[core.Rider]) *Doors {
	if s == nil {
		return nil
	}
	d := &Doors{Doors: g.B.Spec.Doors, b: g.B, g: g, all: *s, riders: riders, works: make([]work, 1)}
	d.renewed, _ = g.B.Spec.Adaptive.(routing.Renewed)
	if d.Injector != nil {
		d.senders.words = d.Injector.FlowState
	}
	if d.Hooks != nil {
		d.receivers.words = d.Hooks.FlowState
		d.start.RouterView = &hookView{View: &d.g.Adapt.View, d: d}
	}
	d.outages, d.downs, d.settled = d.findOutages(), d.findDowns(), d.lastChange()
	d.ScheduleEvents()
	return d
}

// stateOf returns the words of state of an element of an array with the given number of words per
// element.
func stateOf(all *core.Array[uint64], element uint32, words int) []uint64 {
	if words == 0 {
		return nil
	}
	return all.Slice(element*uint32(words), uint32(words))
}

// share visits the share of some routers in the arrays.
func (s *DoorState) share(v *snapshot.Visitor, d *model.Doors, x core.Extent) {
	snapshot.Values(v, s.heads.Slice(x.First, x.Count))
	snapshot.Values(v, s.lost.Slice(x.First, x.Count))
	for _, run := range x.Hosts {
		snapshot.Values(v, s.NICs.Slice(run.NIC, run.NICs))
	}
	if h := d.Hooks; h != nil {
		of := uint32(h.PortState)
		snapshot.Values(v, s.ports.Slice(x.Ports*of, (x.EndPorts-x.Ports)*of))
		for _, run := range x.Hosts {
			snapshot.Values(v, s.receivers.Slice(run.NIC*uint32(h.NICState), run.NICs*uint32(h.NICState)))
		}
	}
	if i := d.Injector; i != nil {
		for _, run := range x.Hosts {
			snapshot.Values(v, s.senders.Slice(run.NIC*uint32(i.NICState), run.NICs*uint32(i.NICState)))
		}
	}
	if a := d.Agent; a != nil {
		snapshot.Values(v, s.agents.Slice(x.First*uint32(a.State), x.Count*uint32(a.State)))
	}
}

// state visits a block's state of doors except for its share of the arrays.
func (d *Doors) state(v *snapshot.Visitor, used uint32) {
	p := &d.g.Pool
	core.WalkRange(v, &d.riders, p.Own.First, p.Used, used)
	d.senders.state(v)
	d.receivers.state(v)
	snapshot.List(v, &d.works)
	snapshot.Value(v, &d.freeWork)
	snapshot.Value(v, &d.Counts)
	if v.Restores() {
		d.raised = false
	}
}

// flowTable holds the words of state of flows, by their two NICs.
type flowTable struct {
	words  int      // words per flow
	keys   []uint64 // hash table, whose size is a power of two; 0: free
	values []uint64 // words of state of each flow
	used   uint64
}

// of returns the words of a flow between a NIC and another. They are zero initially.
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

// place returns the index of a key, or the free index where it belongs.
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

// state visits the table.
func (t *flowTable) state(v *snapshot.Visitor) {
	snapshot.Value(v, &t.used)
	snapshot.List(v, &t.keys)
	snapshot.List(v, &t.values)
}

// forecastDoors returns the memory (bytes) that doors take, excluding packets and flows.
func forecastDoors(s *model.Spec) int64 {
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
	if d.BitErrors != nil {
		words += 2 * int64(len(s.Graph.Ports))
	}
	return 8*words + nics*core.SizeOf[doorNIC]() + routers*(8+core.SizeOf[work]())
}
