package cluster

import (
	"encoding/binary"
	"slices"
)

// Divide returns a group for each of n goroutines of this process. Each process of g must divide
// itself into the same number of goroutines; all of them together then form a group in which each
// acts as a process. The goroutines of process 0 have the first ranks. g may be nil for a single
// process.
func Divide(g Group, n int) []Group {
	groups := Local(n)
	if !Several(g) {
		return groups
	}
	d := &divided{outer: g, n: n, to: make([][][]byte, n)}
	for i := range groups {
		groups[i] = &member{local: groups[i].(*local), divided: d}
	}
	return groups
}

// divided is a process that forms several members of a group.
type divided struct {
	outer  Group
	n      int
	values []int64    // the minima of this process, then of all processes
	to     [][][]byte // by member and receiver
	from   [][][]byte // by member and sender
}

// member is the group from the point of view of one goroutine.
type member struct {
	*local
	*divided
	least []int64 // values passed to StartLeast
}

// Rank implements Group.
func (m *member) Rank() int { return m.outer.Rank()*m.n + m.local.rank }

// Size implements Group.
func (m *member) Size() int { return m.outer.Size() * m.n }

// Least implements Group.
func (m *member) Least(values []int64) {
	m.local.Least(values)
	if m.local.rank == 0 {
		m.values = slices.Clone(values)
		m.outer.Least(m.values)
	}
	m.meeting.wait()
	copy(values, m.values)
	m.meeting.wait()
}

// Swap implements Group.
func (m *member) Swap(to [][]byte) [][]byte { return m.Exchange(to) }

// Trade implements Group.
func (m *member) Trade(_ []int, to [][]byte) [][]byte { return m.Exchange(to) }

// StartLeast implements Group.
func (m *member) StartLeast(values []int64) { m.least = append(m.least[:0], values...) }

// FinishLeast implements Group.
func (m *member) FinishLeast(values []int64) {
	copy(values, m.least)
	m.Least(values)
}

// Exchange implements Group.
func (m *member) Exchange(to [][]byte) [][]byte {
	m.to[m.local.rank] = to
	m.meeting.wait()
	if m.local.rank == 0 {
		m.divided.exchange()
	}
	m.meeting.wait()
	return m.from[m.local.rank]
}

// exchange exchanges the data of all members of this process. Between processes, data is ordered by
// sender and receiver, and each item is preceded by its length in 8 bytes.
func (d *divided) exchange() {
	size, rank := d.outer.Size(), d.outer.Rank()
	out := make([][]byte, size)
	d.from = make([][][]byte, d.n)
	for i := range d.from {
		d.from[i] = make([][]byte, size*d.n)
	}
	for p := range size {
		for s := range d.n {
			for r := range d.n {
				data := d.to[s][p*d.n+r]
				if p == rank {
					d.from[r][p*d.n+s] = slices.Clone(data)
					continue
				}
				out[p] = append(binary.LittleEndian.AppendUint64(out[p], uint64(len(data))), data...)
			}
		}
	}
	for p, data := range d.outer.Exchange(out) {
		for i := 0; p != rank && i < d.n*d.n; i++ {
			length := binary.LittleEndian.Uint64(data)
			d.from[i%d.n][p*d.n+i/d.n] = slices.Clone(data[8 : 8+length])
			data = data[8+length:]
		}
	}
}
