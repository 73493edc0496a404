package core

import "unsafe"

// EventList is the event list of the active router in the current window, sorted by time and then
// by timer index. An entry is (ps since the window's start) << EventShift | timer.
type EventList struct {
	Entries Array[uint64] // the first N are used
	Next    uint32        // index of the next entry to be taken
	N       uint32
}

const (
	EventShift = 16
	EventMask  = 1<<EventShift - 1
)

// Insert adds a timer in sorted order. Its time must not be before that of the entry taken last.
func (a *EventList) Insert(since int64, timer uint32) {
	key := uint64(since)<<EventShift | uint64(timer)
	if a.N == a.Entries.N {
		a.MakeRoom()
	}
	i := a.N
	a.N = i + 1
	at := a.Entries.At(i)
	for ; i > a.Next; i-- {
		before := (*uint64)(unsafe.Add(unsafe.Pointer(at), -8))
		if *before <= key {
			break
		}
		*at = *before
		at = before
	}
	*at = key
}

// Remove removes a timer that is in the list.
func (a *EventList) Remove(timer uint32) {
	for i := a.Next; i < a.N; i++ {
		if uint32(*a.Entries.At(i)&EventMask) == timer {
			rest := a.Entries.Slice(i, a.N-i)
			copy(rest, rest[1:])
			a.N--
			return
		}
	}
}

// MakeRoom removes the entries already taken. If these are few, it also doubles the list.
func (a *EventList) MakeRoom() {
	old := unsafe.Slice((*uint64)(a.Entries.First), a.Entries.N)
	room := old
	if a.Next <= a.N/2 {
		room = make([]uint64, max(64, 2*len(old)))
	}
	a.N = uint32(copy(room, old[a.Next:a.N]))
	a.Next = 0
	a.Entries = ArrayOf(room)
}
