package chakra

import (
	"cmp"
	"slices"
)

// numbers maps node IDs to the indices of their tasks. It stores runs of consecutive IDs, which
// take little memory because most IDs are 1 more than the previous one.
type numbers struct {
	runs  []run // by ascending first
	other map[uint64]int64
}

// run is a sequence of n consecutive tasks, from index task, whose nodes have consecutive IDs, from
// first.
type run struct {
	first uint64
	task  int64
	n     uint64
}

// add maps a node ID to a task index. It returns false if the ID has been added before.
func (l *numbers) add(id uint64, task int64) bool {
	if _, found := l.find(id); found {
		return false
	}
	if i := len(l.runs) - 1; i >= 0 {
		last := &l.runs[i]
		switch next := last.first + last.n; {
		case id == next && task == last.task+int64(last.n):
			last.n++
			return true
		case id < next:
			if l.other == nil {
				l.other = map[uint64]int64{}
			}
			l.other[id] = task
			return true
		}
	}
	l.runs = append(l.runs, run{id, task, 1})
	return true
}

// find returns the task index of a node ID.
func (l *numbers) find(id uint64) (task int64, found bool) {
	i, exact := slices.BinarySearchFunc(
		l.runs,
		id,
		func(r run, id uint64) int { return cmp.Compare(r.first, id) },
	)
	if !exact {
		i--
	}
	if i >= 0 && id-l.runs[i].first < l.runs[i].n {
		return l.runs[i].task + int64(id-l.runs[i].first), true
	}
	task, found = l.other[id]
	return task, found
}

// node returns the node ID of a task index.
func (l *numbers) node(task int64) uint64 {
	for _, r := range l.runs {
		if task >= r.task && task-r.task < int64(r.n) {
			return r.first + uint64(task-r.task)
		}
	}
	for id, t := range l.other {
		if t == task {
			return id
		}
	}
	return 0
}
