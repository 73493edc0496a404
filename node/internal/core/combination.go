package core

import "sync"

// Combination holds the functions by which a one-sided operation combines data with memory and
// reads memory.
type Combination struct {
	Combine func(memory, data []byte)
	Gather  func(data, memory []byte) // nil: the operation reads a plain copy of the memory
}

// combinations is the registry of a world's combinations. Each has an ID and, in the process that
// created it, a key.
type combinations struct {
	sync.RWMutex
	numbers map[any]int64         // ID by key
	made    map[int64]Combination // combination by ID
	// the highest ID of a combination that existed when the run was resumed
	Kept int64
}

// Number returns the ID of the combination with the given key, or 0 if there is none.
func (c *combinations) Number(key any) int64 {
	c.RLock()
	defer c.RUnlock()
	return c.numbers[key]
}

// Add registers a combination under its key, and returns its ID. If several processes share the
// world, their IDs are distinct. made reports whether the key is new.
func (c *combinations) Add(key any, x Combination, process, processes int) (number int64, made bool) {
	c.Lock()
	defer c.Unlock()
	if n := c.numbers[key]; n != 0 {
		return n, false
	}
	number = c.Kept + int64(len(c.numbers)*processes+process) + 1
	c.keep(key, number, x)
	return number, true
}

// Take registers a combination that another process has created.
func (c *combinations) Take(number int64, x Combination) {
	c.Lock()
	defer c.Unlock()
	c.keep(nil, number, x)
}

// Alias makes the combination with ID now accessible under ID before, too.
func (c *combinations) Alias(before, now int64) {
	c.Lock()
	defer c.Unlock()
	c.keep(nil, before, c.made[now])
}

// keep stores a combination; key is nil for a combination of another process. REQUIRES: the lock is
// held.
func (c *combinations) keep(key any, number int64, x Combination) {
	if c.numbers == nil {
		c.numbers = make(map[any]int64)
	}
	if c.made == nil {
		c.made = make(map[int64]Combination)
	}
	if key != nil {
		c.numbers[key] = number
	}
	c.made[number] = x
}

// Of returns the combination with the given ID; ok is false if there is none.
func (c *combinations) Of(number int64) (x Combination, ok bool) {
	c.RLock()
	defer c.RUnlock()
	x, ok = c.made[number]
	return x, ok
}

// Highest returns the highest ID of a combination.
func (c *combinations) Highest() int64 {
	n := c.Kept
	for number := range c.made {
		n = max(n, number)
	}
	return n
}

// Gather returns the bytes that an operation with the given combination reads from a rank's memory.
func (c *combinations) Gather(memory []byte, number int64) []byte {
	if number == 0 || len(memory) == 0 {
		return memory
	}
	x, _ := c.Of(number)
	if x.Gather == nil {
		return memory
	}
	data := make([]byte, len(memory))
	x.Gather(data, memory)
	return data
}
