package chakra

import (
	"cmp"
	"slices"
)

// numbers maps identifiers of nodes to their tasks. It takes little memory because identifiers
// mostly ascend by 1.
type numbers struct {
	runs  []run // by ascending identifier
	other map[uint64]int64
}

// run is a sequence of tasks whose nodes have consecutive identifiers.
type run struct {
	first uint64
	task  int64
	n     uint64
}

// add adds the identifier of a task. It returns false if the identifier is known.
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

// find returns the task of a node.
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

// node returns the identifier of the node of a task.
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
