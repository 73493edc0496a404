package replay

// leastNear and mostNear bound the entries of a rank's small direct-mapped table of tasks.
const (
	leastNear = 16
	mostNear  = 4096
)

// near is an entry of a rank's direct-mapped table: a task that has not ended.
type near struct {
	number uint32 // number of the task without its 4 lowest bits, which are implied by the position
	task   uint32 // 0: no task; plain: a message without a task record
}

// plain stands for a message that has started and that no task waits for. No other state of it is
// needed, so it takes no task's memory.
const plain = 1<<32 - 1

// nearOf returns the entry of a task in the direct-mapped table; nil if it is not there.
func (a *actor) nearOf(number int64) *near {
	if n := len(a.near); n > 0 {
		if e := &a.near[int(number)&(n-1)]; e.task != 0 && e.number == high(number) {
			return e
		}
	}
	return nil
}

// high returns a task's number without its lowest bits. 36 bits are enough to distinguish the
// unfinished tasks of a rank.
func high(number int64) uint32 { return uint32(number >> 4) }

// find returns the unfinished task with the given number, which may be plain; 0 if there is none.
func (a *actor) find(number int64) uint32 {
	if e := a.nearOf(number); e != nil {
		return e.task
	}
	return a.index.find(a.slot, number)
}

// note adds a task to the tables. If its position is taken, the task goes to the index, unless the
// other task is newer or plain: old tasks tend to stay long.
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

// widen doubles the rank's direct-mapped table.
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

// forget removes a task from the tables.
func (a *actor) forget(id uint32, number int64) {
	a.live--
	if e := a.nearOf(number); e != nil && e.task == id {
		e.task = 0
		return
	}
	a.index.remove(id, a.slot, number)
}

// index holds, by rank and number, the tasks of all ranks that have no entry in the direct-mapped
// tables. It is an open-addressing hash table with linear probing and no tombstones.
type index struct {
	places []entry
	count  int
	tasks  *pool[task]
}

// entry is an entry of the table; empty if the task is 0.
type entry struct{ hash, task uint32 }

const leastIndex = 64

// hash returns the hash of a rank's task.
func hash(slot int32, number int64) uint32 {
	h := (uint64(number)*0x9e3779b97f4a7c15 ^ uint64(uint32(slot))) * 0xd6e8feb86659fd93
	return uint32(h >> 32)
}

// find returns the unfinished task of a rank with a number; 0 if there is none.
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

// add adds a task, which must not be there.
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

// place stores an entry in its first free place.
func (x *index) place(e entry) {
	mask := uint32(len(x.places) - 1)
	i := e.hash & mask
	for x.places[i].task != 0 {
		i = (i + 1) & mask
	}
	x.places[i] = e
}

// remove removes a task, which must be in the table. It shifts later entries back, so that all of
// them can still be found.
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
