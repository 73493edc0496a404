package cluster

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"slices"
)

// Collective is what processes that share a run do all together.
type Collective interface {
	// Rank is the number of this process, from 0.
	Rank() int
	// Size is the number of processes.
	Size() int
	// Least replaces each value by the least that any process has in its place.
	Least(values []int64)
	// Exchange sends to[p] to process p, for each p for which that is not empty, and returns what
	// the processes have sent to this one. The slices returned are valid until the next Exchange.
	Exchange(to [][]byte) (from [][]byte)
}

// Group is the processes that share a run.
type Group interface {
	Collective
	// Swap does what Exchange does where each process sends something to each other one. It takes
	// less time, because nobody has to find out first how much comes.
	Swap(to [][]byte) (from [][]byte)
	// Trade does what Swap does among neighbours: this process sends one message to each process of
	// a list, if need be an empty one, and gets one from each. It waits for no other process. A process
	// is in the list of each process that is in its own.
	Trade(with []int, to [][]byte) (from [][]byte)
	// StartLeast begins what Least does, and FinishLeast waits for the end and stores what has been
	// found. Other operations may lie between, but no second StartLeast.
	StartLeast(values []int64)
	FinishLeast(values []int64)
}

// Several reports whether a run is shared by several processes. g may be nil.
func Several(g Collective) bool { return g != nil && g.Size() > 1 }

// First reports whether this process speaks for all: it prints, and writes results. g may be nil.
func First(g Collective) bool { return g == nil || g.Rank() == 0 }

// Min returns the least value of all processes. g may be nil.
func Min(g Collective, value int64) int64 {
	if !Several(g) {
		return value
	}
	values := []int64{value}
	g.Least(values)
	return values[0]
}

// Any reports whether something is so in any process. g may be nil.
func Any(g Collective, is bool) bool {
	if is {
		return Min(g, -1) < 0
	}
	return Min(g, 0) < 0
}

// Gather returns what each process has passed as data, by process. Exchange's bound on the validity
// of slices holds.
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

// GatherValues returns what each process has passed as value, by process. T must be a type that
// encoding/gob can encode.
func GatherValues[T any](g Collective, value T) []T {
	return decode(Gather(g, encode(value)), value, g.Rank())
}

// GatherFirst does what GatherValues does for the first process; the others get nil.
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

// decode returns the values of all processes; that of process `me` is own.
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
