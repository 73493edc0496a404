package cluster

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"slices"
)

// Collective holds the collective operations of processes that share a run.
type Collective interface {
	// Rank is the index of this process, from 0.
	Rank() int
	// Size is the number of processes.
	Size() int
	// Least replaces each value by its minimum over all processes.
	Least(values []int64)
	// Exchange sends to[p] to process p for each p for which it is not empty. It returns the data
	// received from each process. The slices returned are valid until the next Exchange.
	Exchange(to [][]byte) (from [][]byte)
}

// Group is the set of processes that share a run.
type Group interface {
	Collective
	// Swap is an Exchange in which each process sends something to each other one. It is faster,
	// because the processes need not first agree on the number of messages.
	Swap(to [][]byte) (from [][]byte)
	// Trade is a Swap between neighbours: this process sends one message, possibly empty, to each
	// process in the list `with`, and receives one from each. It waits for no other process. The
	// neighbour relation is symmetric: a process is in the lists of all processes in its own list.
	Trade(with []int, to [][]byte) (from [][]byte)
	// StartLeast starts what Least does; FinishLeast waits for its end and stores the minima. Other
	// operations are permitted in between, but no second StartLeast.
	StartLeast(values []int64)
	FinishLeast(values []int64)
}

// Several reports whether a run is shared by several processes. g may be nil.
func Several(g Collective) bool { return g != nil && g.Size() > 1 }

// First reports whether this process acts for all: it prints and writes results. g may be nil.
func First(g Collective) bool { return g == nil || g.Rank() == 0 }

// Min returns the minimum of a value over all processes. g may be nil.
func Min(g Collective, value int64) int64 {
	if !Several(g) {
		return value
	}
	values := []int64{value}
	g.Least(values)
	return values[0]
}

// Any reports whether the condition is true in any process. g may be nil.
func Any(g Collective, is bool) bool {
	if is {
		return Min(g, -1) < 0
	}
	return Min(g, 0) < 0
}

// Gather returns the data that each process has passed, by process. The slices are valid as long as
// those of Exchange.
func Gather(g Collective, data []byte) [][]byte {
	to := make([][]byte, g.Size())
	for p := range to {
		if p != g.Rank() {
			to[p] = data
		}
	}
	from := g.Exchange(to)
	from[g.Rank()] = data
	return from
}

// GatherValues returns the value that each process has passed, by process. encoding/gob must be
// able to encode T.
func GatherValues[T any](g Collective, value T) []T {
	return decode(Gather(g, encode(value)), value, g.Rank())
}

// GatherFirst is GatherValues for the first process; the others get nil.
func GatherFirst[T any](g Collective, value T) []T {
	to := make([][]byte, g.Size())
	if g.Rank() != 0 {
		to[0] = encode(value)
	}
	from := g.Exchange(to)
	if g.Rank() != 0 {
		return nil
	}
	return decode(from, value, 0)
}

// Sum replaces each value by the sum over all processes.
func Sum(g Collective, values []int64) {
	all := GatherValues(g, slices.Clone(values))
	clear(values)
	for _, of := range all {
		for i, v := range of {
			values[i] += v
		}
	}
}

func encode[T any](value T) []byte {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(&value); err != nil {
		panic(fmt.Sprintf("a %T for other processes: %v", value, err))
	}
	return b.Bytes()
}

// decode decodes the values of all processes. The value of process `me` is own.
func decode[T any](from [][]byte, own T, me int) []T {
	list := make([]T, len(from))
	for p, data := range from {
		if p == me {
			list[p] = own
			continue
		}
		if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&list[p]); err != nil {
			panic(fmt.Sprintf("a %T of process %d: %v", own, p, err))
		}
	}
	return list
}
