package cluster

import (
	"slices"
	"sync"
)

// Local returns a group for each of n goroutines, which act as processes.
func Local(n int) []Group {
	m := &meeting{n: n, values: make([][]int64, n), mail: make([][][]byte, n), least: make(map[int]*least)}
	m.all.L = &m.mutex
	m.pairs = make([]chan []byte, n*n)
	for i := range m.pairs {
		m.pairs[i] = make(chan []byte, ahead)
	}
	groups := make([]Group, n)
	for i := range groups {
		groups[i] = &local{meeting: m, rank: i, got: make([][]byte, n)}
	}
	return groups
}

// meeting is the shared state of the goroutines of a local group.
type meeting struct {
	n      int
	mutex  sync.Mutex
	all    sync.Cond
	here   int
	turn   int
	values [][]int64
	mail   [][][]byte     // by sender and receiver
	pairs  []chan []byte  // channels of Trade, by sender and receiver
	least  map[int]*least // unfinished reductions, by index
}

// ahead is the number of Trade messages that may be in flight from one process to another.
const ahead = 2

// least is a reduction started by StartLeast.
type least struct {
	values       []int64
	begun, ended int // numbers of processes that have started and finished it
}

// wait returns when all goroutines have called it.
func (m *meeting) wait() {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	turn := m.turn
	if m.here++; m.here == m.n {
		m.here = 0
		m.turn++
		m.all.Broadcast()
		return
	}
	for m.turn == turn {
		m.all.Wait()
	}
}

// local is the group from the point of view of one goroutine.
type local struct {
	meeting *meeting
	rank    int
	started int // number of calls of StartLeast
	got     [][]byte
}

func (l *local) Rank() int { return l.rank }
func (l *local) Size() int { return l.meeting.n }

// Least implements Group.
func (l *local) Least(values []int64) {
	m := l.meeting
	m.values[l.rank] = slices.Clone(values)
	m.wait()
	for _, of := range m.values {
		for i, v := range of {
			values[i] = min(values[i], v)
		}
	}
	m.wait()
}

// Swap implements Group.
func (l *local) Swap(to [][]byte) [][]byte { return l.Exchange(to) }

// Exchange implements Group.
func (l *local) Exchange(to [][]byte) [][]byte {
	m := l.meeting
	m.mail[l.rank] = to
	m.wait()
	from := make([][]byte, m.n)
	for p := range from {
		if p != l.rank {
			from[p] = slices.Clone(m.mail[p][l.rank])
		}
	}
	m.wait()
	return from
}

// Trade implements Group.
func (l *local) Trade(with []int, to [][]byte) [][]byte {
	m := l.meeting
	for _, p := range with {
		m.pairs[l.rank*m.n+p] <- slices.Clone(to[p])
	}
	clear(l.got)
	for _, p := range with {
		l.got[p] = <-m.pairs[p*m.n+l.rank]
	}
	return l.got
}

// StartLeast implements Group.
func (l *local) StartLeast(values []int64) {
	m := l.meeting
	m.mutex.Lock()
	defer m.mutex.Unlock()
	l.started++
	x := m.least[l.started]
	if x == nil {
		x = &least{values: slices.Clone(values)}
		m.least[l.started] = x
	}
	for i, v := range values {
		x.values[i] = min(x.values[i], v)
	}
	if x.begun++; x.begun == m.n {
		m.all.Broadcast()
	}
}

// FinishLeast implements Group.
func (l *local) FinishLeast(values []int64) {
	m := l.meeting
	m.mutex.Lock()
	defer m.mutex.Unlock()
	x := m.least[l.started]
	for x.begun < m.n {
		m.all.Wait()
	}
	copy(values, x.values)
	if x.ended++; x.ended == m.n {
		delete(m.least, l.started)
	}
}
