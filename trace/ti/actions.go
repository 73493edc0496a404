package ti

import (
	"math"
	"strconv"
	"strings"

	"fabricast/trace"
)

// byteType and doubleType are the IDs in traces of two datatypes.
const (
	byteType   = 6
	doubleType = 0
)

// sizes holds the sizes of datatypes in bytes, by ID; 0 if the size is not fixed.
var sizes = [...]int64{
	0: 8, 1: 4, 2: 1, 3: 2, 4: 8, 5: 4, 6: 1, 7: 8, 8: 1, 9: 1, 10: 2, 11: 4, 12: 8, 13: 8, 14: 16,
	15: 4, 16: 1,
	17: 1, 18: 2, 19: 4, 20: 8, 21: 1, 22: 2, 23: 4, 24: 8, 25: 8, 26: 16, 27: 32, 28: 8, 29: 8,
	34: 8, 35: 8, 36: 16, 37: 16, 57: 1,
}

// action parses the arguments of the action in the current line, and appends its records to the
// queue.
type action func(s *stream) error

// actions holds the action functions by the names of actions.
var actions map[string]action

func init() {
	actions = map[string]action{
		"init": func(s *stream) error {
			if len(s.Words) > 2 {
				s.element = sizes[doubleType]
			}
			return nil
		},
		"finalize": nothing, "comm_size": nothing, "comm_split": nothing, "comm_dup": nothing,
		"location": nothing,
		"compute":  func(s *stream) error { return s.compute(2) },
		"sleep":    (*stream).sleep,
		"send":     func(s *stream) error { return s.message(trace.Send, false) },
		"isend":    func(s *stream) error { return s.message(trace.Start, false) },
		"recv":     func(s *stream) error { return s.message(trace.Receive, true) },
		"irecv":    func(s *stream) error { return s.message(trace.Start, true) },
		"wait":     (*stream).wait, "test": (*stream).test, "waitall": (*stream).waitAll,
		"sendRecv":      (*stream).exchange,
		"barrier":       func(s *stream) error { return s.collective(trace.Barrier, 0) },
		"bcast":         func(s *stream) error { return s.rooted(trace.Broadcast, 3, 4) },
		"reduce":        func(s *stream) error { return s.then(3, s.rooted(trace.Reduce, 4, 5)) },
		"allreduce":     func(s *stream) error { return s.then(3, s.sized(trace.Allreduce, 4)) },
		"alltoall":      func(s *stream) error { return s.sized(trace.Alltoall, 4) },
		"allgather":     func(s *stream) error { return s.sized(trace.Allgather, 4) },
		"gather":        func(s *stream) error { return s.rooted(trace.Gather, 4, 5) },
		"scatter":       (*stream).scatter,
		"scan":          func(s *stream) error { return s.then(3, s.sized(trace.Scan, 4)) },
		"exscan":        func(s *stream) error { return s.then(3, s.sized(trace.Exscan, 4)) },
		"alltoallv":     (*stream).allToAllUneven,
		"gatherv":       (*stream).gatherUneven,
		"allgatherv":    (*stream).allGatherUneven,
		"scatterv":      (*stream).scatterUneven,
		"reducescatter": (*stream).reduceScatter,
	}
}

// nothing is the action function for actions that need no record.
func nothing(*stream) error { return nil }

// number parses word i of the current line as a floating-point number. what is its name in error
// messages.
func (s *stream) number(i int, what string) (float64, error) {
	if i >= len(s.Words) {
		return 0, s.fail(what, strings.Join(s.Words, " "), "one more number")
	}
	n, err := strconv.ParseFloat(s.Words[i], 64)
	if err != nil || math.IsNaN(n) || math.Abs(n) > 1<<62 {
		return 0, s.fail(what, s.Words[i], "a number")
	}
	return n, nil
}

// count parses word i as an element count.
func (s *stream) count(i int) (int64, error) {
	n, err := s.number(i, "count")
	if err == nil && n < 0 {
		err = s.fail("count", s.Words[i], "a number from 0")
	}
	return int64(n), err
}

// elementAt returns the size, in bytes, of the datatype whose ID is in word i, or of the default
// datatype if the line has no such word.
func (s *stream) elementAt(i int) (int64, error) {
	if i >= len(s.Words) {
		return s.element, nil
	}
	n, err := strconv.Atoi(s.Words[i])
	if err != nil || n < 0 || n >= len(sizes) || sizes[n] == 0 {
		return 0, s.fail("datatype", s.Words[i], "the number of a datatype of fixed size")
	}
	return sizes[n], nil
}

// bytes returns the size, in bytes, of a buffer. count and datatype are the indices of the words
// with its element count and its datatype, which is optional.
func (s *stream) bytes(count, datatype int) (int64, error) {
	n, err := s.count(count)
	if err != nil {
		return 0, err
	}
	size, err := s.elementAt(datatype)
	if err == nil && n > maxBytes/size {
		err = s.fail("count", s.Words[count], "a message of at most 1 TiB")
	}
	return n * size, err
}

// maxBytes is the maximum size of a message in bytes.
const maxBytes = 1 << 40

// compute adds a computation. Word i is its number of operations.
func (s *stream) compute(i int) error {
	n, err := s.number(i, "operations")
	if err != nil {
		return err
	}
	return s.lasting(n / s.source.rates.Of(s.me))
}

// sleep handles the action sleep, whose argument is a time in seconds. It adds the time as
// computation.
func (s *stream) sleep() error {
	n, err := s.number(2, "seconds")
	if err != nil {
		return err
	}
	return s.lasting(n)
}

// lasting adds a computation with the given duration in seconds.
func (s *stream) lasting(seconds float64) error {
	if seconds < 0 {
		s.faults.NegativeTimes++
		return nil
	}
	const most = 1 << 61 // ps
	if ps := math.Round(seconds * 1e12); ps > most {
		return s.fail("computation", s.Words[2], "at most 26 days")
	} else if ps > 0 {
		s.push(trace.Record{Kind: trace.Compute, Duration: int64(ps)})
	}
	return nil
}

// then adds the computation of a reduction, after the communication. Word i, which is optional, is
// its number of operations. If err is not nil, then returns it.
func (s *stream) then(i int, err error) error {
	if err != nil || i >= len(s.Words) {
		return err
	}
	return s.compute(i)
}
