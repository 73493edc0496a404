package goal

import (
	"bytes"
	"strconv"
)

// labels maps labels to the task indices of a rank. It stores consecutive tasks with consecutively
// numbered labels, such as l1, l2, l3, as one run, which saves memory.
type labels struct {
	runs  []run
	other map[string]int64
}

// run is a sequence of n consecutive tasks whose labels have the same prefix and consecutive
// numbers.
type run struct {
	prefix string
	first  int64 // number in the label of the first task
	task   int64 // index of the first task
	n      int64
}

// add maps a label to a task. A label that has been added before keeps its first task.
func (l *labels) add(label []byte, task int64) {
	if _, found := l.find(label); found {
		return
	}
	prefix, n, numbered := cut(label)
	if !numbered {
		l.keep(label, task)
		return
	}
	if i := len(l.runs) - 1; i >= 0 {
		if r := &l.runs[i]; n == r.first+r.n && task == r.task+r.n && string(prefix) == r.prefix {
			r.n++
			return
		}
	}
	const most = 16
	if len(l.runs) == most {
		l.keep(label, task)
		return
	}
	l.runs = append(l.runs, run{string(prefix), n, task, 1})
}

// keep stores a label that is not in a run.
func (l *labels) keep(label []byte, task int64) {
	if l.other == nil {
		l.other = map[string]int64{}
	}
	l.other[string(label)] = task
}

// find returns the index of the task with the given label.
func (l *labels) find(label []byte) (task int64, found bool) {
	if prefix, n, numbered := cut(label); numbered {
		for i := len(l.runs) - 1; i >= 0; i-- {
			if r := &l.runs[i]; n >= r.first && n < r.first+r.n && string(prefix) == r.prefix {
				return r.task + n - r.first, true
			}
		}
	}
	task, found = l.other[string(label)]
	return task, found
}

// cut splits a label into its prefix and the number at its end. numbered is false if there is no
// number without leading zeros.
func cut(label []byte) (prefix []byte, n int64, numbered bool) {
	prefix = bytes.TrimRight(label, "0123456789")
	digits := label[len(prefix):]
	const most = 18
	if len(digits) == 0 || len(digits) > most || digits[0] == '0' && len(digits) > 1 {
		return nil, 0, false
	}
	n, err := strconv.ParseInt(string(digits), 10, 64)
	return prefix, n, err == nil
}
