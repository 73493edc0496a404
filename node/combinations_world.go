package node

import (
	"fabricast/node/internal/core"
)

// Combination returns the number that Combine or Scatter has given a key, 0 if it has none.
func (w *World) Combination(key any) int64 {
	return w.shared.Combinations.Number(key)
}

// Combine registers a function that combines data with memory, and returns its number, which is the
// same for the same key. The function may change both arguments; only the change of memory has an
// effect. Data may be longer than memory. The numbers may differ from run to run and must not
// influence simulated time.
func (w *World) Combine(key any, combine func(memory, data []byte)) int64 {
	return w.number(key, core.Combination{Combine: combine})
}

// Scatter does what Combine does, for memory with gaps. The slice memory begins at the operation's
// offset and is as long as the data; both functions may access bytes beyond its end. gather copies
// memory to data for a Collect or an Exchange.
func (w *World) Scatter(key any, combine, gather func(data, memory []byte)) int64 {
	return w.number(key, core.Combination{Combine: func(memory, data []byte) { combine(data, memory) }, Gather: gather})
}

// number stores a combination under its key, and returns its number.
func (w *World) number(key any, x core.Combination) int64 {
	if w.others != nil {
		return w.makeCombination(key, x)
	}
	n, _ := w.shared.Combinations.Add(key, x, 0, 1)
	return n
}
