package legs

import (
	"sync/atomic"

	"fabricast/routing/internal/headers"
)

// mostKept is the largest number of routers of a network for which the next hops between all
// routers are kept once computed. On larger networks they are computed each time.
const mostKept = 4096

// onward finds next hops between routers.
type onward interface {
	// Onward appends the ports of router at by which packets to router to may go on, in ascending
	// order. It appends none only if no path exists.
	Onward(at, to int32, list []Candidate) []Candidate
}

// kept is a cache of the ports by which packets go on from each router to every other, filled
// router by router.
type kept struct {
	onward
	fromOne onward                    // the same, fast for one router and all destinations
	rows    []atomic.Pointer[keptRow] // by router; none if nothing is kept
}

// keptRow is the cache of one router. Most destinations share their ports with others, so it holds
// the numbers of sets of ports.
type keptRow struct {
	set   []uint16 // by destination
	first []int32  // by set: its first port; one more entry at the end
	ports []uint16
}

func newKept(o, fromOne onward, routers int) *kept {
	k := &kept{onward: o, fromOne: fromOne}
	if routers <= mostKept {
		k.rows = make([]atomic.Pointer[keptRow], routers)
	}
	return k
}

// pick returns the port that a flow takes at router at toward router to.
func (k *kept) pick(at, to int32, flow uint64) uint16 {
	if len(k.rows) == 0 {
		return k.find(at, to, flow)
	}
	row := k.rows[at].Load()
	if row == nil {
		row = k.row(at)
		k.rows[at].Store(row)
	}
	set := row.set[to]
	ports := row.ports[row.first[set]:row.first[set+1]]
	return ports[headers.Pick(flow, at, len(ports))]
}

// find computes the port that pick returns where no cache is kept.
func (k *kept) find(at, to int32, flow uint64) uint16 {
	room := waysRoom.Get().(*[]Candidate)
	list := k.onward.Onward(at, to, (*room)[:0])
	port := list[headers.Pick(flow, at, len(list))].Port
	*room = list
	waysRoom.Put(room)
	return port
}

// row computes the ports of a router toward every other.
func (k *kept) row(at int32) *keptRow {
	row := &keptRow{set: make([]uint16, len(k.rows)), first: []int32{0}}
	known := map[string]uint16{}
	var list []Candidate
	var key []byte
	for to := range row.set {
		list, key = k.fromOne.Onward(at, int32(to), list[:0]), key[:0]
		for _, c := range list {
			key = append(key, byte(c.Port), byte(c.Port>>8))
		}
		n, ok := known[string(key)]
		if !ok {
			n = uint16(len(known))
			known[string(key)] = n
			for _, c := range list {
				row.ports = append(row.ports, c.Port)
			}
			row.first = append(row.first, int32(len(row.ports)))
		}
		row.set[to] = n
	}
	return row
}
