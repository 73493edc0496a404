package replay

// leastNear and mostNear are the minimum and maximum number of entries in the direct-mapped table
// of tasks of a rank.
const (
	leastNear = 16
	mostNear  = 4096
)

// near is an entry of the direct-mapped table of a rank: a task that has not ended.
type near struct {
	number uint32 // index of the task in the trace, without the 4 lowest bits, which the position implies
	task   uint32 // index in crew.tasks; 0: no task; plain: see there
}

// plain is the value of near.task for a message that has started and that no task waits for. It
// needs no other state, so it has no entry in crew.tasks.
const plain = 1<<32 - 1

// nearOf returns the entry of task number in the direct-mapped table; nil if the table does not
// contain it.
func (a *actor) nearOf(number int64) *near {
	if n := len(a.near); n > 0 {
		if e := &a.near[int(number)&(n-1)]; e.task != 0 && e.number == high(number) {
			return e
		}
	}
	return nil
}

// high returns bits 4 to 35 of the index of a task in the trace. With the lowest 4 bits, they are
// enough to distinguish the unfinished tasks of a rank.
func high(number int64) uint32 { return uint32(number >> 4) }

// find returns the index in crew.tasks of unfinished task number, which may be plain; 0 if there is
// none.
func (a *actor) find(number int64) uint32 {
	if e := a.nearOf(number); e != nil {
		return e.task
	}
	return a.index.find(a.slot, number)
}

// note adds a task to the direct-mapped table. If its position is occupied, the older of the two
// tasks moves to crew.index, because old tasks tend to stay long. A plain task is not moved; then
// the new task is added to the index.
func (a *actor) note(id uint32, number int64) {
	a.live++
	for {
		n := len(a.near)
		if n == 0 {
			a.near = make([]near, leastNear)
			continue
		}
		at := &a.near[int(number)&(n-1)]
		switch {
		case at.task == 0:
			*at = near{high(number), id}
			return
		case n < mostNear && 4*a.live > n:
			a.widen()
			continue
		case at.task == plain:
			a.index.add(id, a.slot, number)
			return
		}
		other := at.task
		if before := a.tasks.at(other).number; before < number {
			*at = near{high(number), id}
			id, number = other, before
		}
		a.index.add(id, a.slot, number)
		return
	}
}

// widen doubles the size of the direct-mapped table.
func (a *actor) widen() {
	old := a.near
	a.near = make([]near, 2*len(old))
	const lowest = leastNear - 1
	for i, e := range old {
		if e.task != 0 {
			a.near[(int(e.number)*leastNear|i&lowest)&(len(a.near)-1)] = e
		}
	}
}

// forget removes a task from the direct-mapped table or the index.
func (a *actor) forget(id uint32, number int64) {
	a.live--
	if e := a.nearOf(number); e != nil && e.task == id {
		e.task = 0
		return
	}
	a.index.remove(id, a.slot, number)
}

// index holds the tasks of all ranks of a crew that are not in a direct-mapped table, by rank and
// index in the trace. It is an open-addressing hash table with linear probing and without
// tombstones.
type index struct {
	places []entry
	count  int
	tasks  *pool[task]
}

// entry is an entry of an index; empty if task is 0.
type entry struct{ hash, task uint32 }

const leastIndex = 64

// hash returns the hash of task number of the rank with the given slot.
func hash(slot int32, number int64) uint32 {
	h := (uint64(number)*0x9e3779b97f4a7c15 ^ uint64(uint32(slot))) * 0xd6e8feb86659fd93
	return uint32(h >> 32)
}

// find returns the index in crew.tasks of unfinished task number of a rank; 0 if there is none.
func (x *index) find(slot int32, number int64) uint32 {
	if x.count == 0 {
		return 0
	}
	h, mask := hash(slot, number), uint32(len(x.places)-1)
	for i := h & mask; ; i = (i + 1) & mask {
		e := x.places[i]
		if e.task == 0 {
			return 0
		}
		if e.hash == h {
			if t := x.tasks.at(e.task); t.number == number && t.slot == slot {
				return e.task
			}
		}
	}
}

// add adds a task, which must not be in the table.
func (x *index) add(id uint32, slot int32, number int64) {
	if 8*(x.count+1) > 5*len(x.places) {
		old := x.places
		x.places = make([]entry, max(leastIndex, 2*len(old)))
		for _, e := range old {
			if e.task != 0 {
				x.place(e)
			}
		}
	}
	x.count++
	x.place(entry{hash(slot, number), id})
}

// place stores an entry at the first free position from its hash on.
func (x *index) place(e entry) {
	mask := uint32(len(x.places) - 1)
	i := e.hash & mask
	for x.places[i].task != 0 {
		i = (i + 1) & mask
	}
	x.places[i] = e
}

// remove removes a task, which must be in the table. It moves later entries back, so that a search
// can still find them.
func (x *index) remove(id uint32, slot int32, number int64) {
	x.count--
	mask := uint32(len(x.places) - 1)
	hole := hash(slot, number) & mask
	for x.places[hole].task != id {
		hole = (hole + 1) & mask
	}
	for j := (hole + 1) & mask; x.places[j].task != 0; j = (j + 1) & mask {
		if home := x.places[j].hash & mask; (j-home)&mask >= (j-hole)&mask {
			x.places[hole] = x.places[j]
			hole = j
		}
	}
	x.places[hole] = entry{}
}
