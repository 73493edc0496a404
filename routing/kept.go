package routing

import "sync/atomic"

// mostKept bounds the networks of which an algorithm keeps the ways from every router to every other once they are
// asked for; on larger ones they are found each time.
const mostKept = 4096

// onward finds ways from router to router.
type onward interface {
	// onward appends the ports by which packets go on, in ascending order; none only if there is no way.
	onward(at, to int32, list []Candidate) []Candidate
}

// kept keeps, router by router, the ports by which ways lead on to every other router.
type kept struct {
	onward
	fromOne onward                    // the same, fast for one router and all others
	rows    []atomic.Pointer[keptRow] // by router; none if nothing is kept
}

// keptRow is what one router keeps. Most destinations share their ports with others, so it holds numbers of sets.
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

// pick is the port that a flow takes at a router.
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
	return ports[pick(flow, at, len(ports))]
}

// find is pick where nothing is kept.
func (k *kept) find(at, to int32, flow uint64) uint16 {
	room := waysRoom.Get().(*[]Candidate)
	list := k.onward.onward(at, to, (*room)[:0])
	port := list[pick(flow, at, len(list))].Port
	*room = list
	waysRoom.Put(room)
	return port
}

// row asks for the ports of a router toward every other.
func (k *kept) row(at int32) *keptRow {
	row := &keptRow{set: make([]uint16, len(k.rows)), first: []int32{0}}
	known := map[string]uint16{}
	var list []Candidate
	var key []byte
	for to := range row.set {
		list, key = k.fromOne.onward(at, int32(to), list[:0]), key[:0]
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
