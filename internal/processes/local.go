package processes

import (
	"slices"
	"sync"
)

// Local returns a group for each of n goroutines, which take the place of processes.
func Local(n int) []Group {
	m := &meeting{n: n, values: make([][]int64, n), mail: make([][][]byte, n)}
	m.all.L = &m.mutex
	groups := make([]Group, n)
	for i := range groups {
		groups[i] = &local{m, i}
	}
	return groups
}

// meeting is where the goroutines of a local group meet.
type meeting struct {
	n      int
	mutex  sync.Mutex
	all    sync.Cond
	here   int
	turn   int
	values [][]int64
	mail   [][][]byte // by sender and receiver
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

// local is the group as one goroutine sees it.
type local struct {
	meeting *meeting
	rank    int
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
