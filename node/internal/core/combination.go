package core

import "sync"

// Combination holds the functions that an operation applies to memory.
type Combination struct {
	Combine func(memory, data []byte)
	Gather  func(data, memory []byte) // nil: what is read is the memory itself
}

// combinations is the registry of the combinations of a world.
type combinations struct {
	sync.RWMutex
	numbers map[any]int64         // by key
	made    map[int64]Combination // by number
	Kept    int64                 // the highest number that a run has had that goes on
}

// Number returns the number of a key, 0 if it has none.
func (c *combinations) Number(key any) int64 {
	c.RLock()
	defer c.RUnlock()
	return c.numbers[key]
}

// Add stores a combination under its key, and returns its number. Where several processes share the
// world, no other process gives the number to another one; made tells whether the key had none.
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

// Take stores a combination that another process has made.
func (c *combinations) Take(number int64, x Combination) {
	c.Lock()
	defer c.Unlock()
	c.keep(nil, number, x)
}

// Alias makes a combination known by another number, too.
func (c *combinations) Alias(before, now int64) {
	c.Lock()
	defer c.Unlock()
	c.keep(nil, before, c.made[now])
}

// keep stores a combination; its key is nil if it is another process's. REQUIRES: the lock.
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

// Of returns the combination with a number; ok is false if there is none.
func (c *combinations) Of(number int64) (x Combination, ok bool) {
	c.RLock()
	defer c.RUnlock()
	x, ok = c.made[number]
	return x, ok
}

// Highest returns the highest number of a combination.
func (c *combinations) Highest() int64 {
	n := c.Kept
	for number := range c.made {
		n = max(n, number)
	}
	return n
}

// Gather returns the bytes of a rank's memory that an operation with a combination reads.
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
