package node

import "sync"

// combination holds the functions that an operation applies to memory.
type combination struct {
	combine func(memory, data []byte)
	gather  func(data, memory []byte) // nil: what is read is the memory itself
}

// combinations is the registry of the combinations of a world.
type combinations struct {
	sync.RWMutex
	numbers map[any]int64         // by key
	made    map[int64]combination // by number
	kept    int64                 // the highest number that a run has had that goes on
}

// number returns the number of a key, 0 if it has none.
func (c *combinations) number(key any) int64 {
	c.RLock()
	defer c.RUnlock()
	return c.numbers[key]
}

// add stores a combination under its key, and returns its number. Where several processes share the
// world, no other process gives the number to another one; made tells whether the key had none.
func (c *combinations) add(key any, x combination, process, processes int) (number int64, made bool) {
	c.Lock()
	defer c.Unlock()
	if n := c.numbers[key]; n != 0 {
		return n, false
	}
	number = c.kept + int64(len(c.numbers)*processes+process) + 1
	c.keep(key, number, x)
	return number, true
}

// take stores a combination that another process has made.
func (c *combinations) take(number int64, x combination) {
	c.Lock()
	defer c.Unlock()
	c.keep(nil, number, x)
}

// alias makes a combination known by another number, too.
func (c *combinations) alias(before, now int64) {
	c.Lock()
	defer c.Unlock()
	c.keep(nil, before, c.made[now])
}

// keep stores a combination; its key is nil if it is another process's. REQUIRES: the lock.
func (c *combinations) keep(key any, number int64, x combination) {
	if c.numbers == nil {
		c.numbers = make(map[any]int64)
	}
	if c.made == nil {
		c.made = make(map[int64]combination)
	}
	if key != nil {
		c.numbers[key] = number
	}
	c.made[number] = x
}

// of returns the combination with a number; ok is false if there is none.
func (c *combinations) of(number int64) (x combination, ok bool) {
	c.RLock()
	defer c.RUnlock()
	x, ok = c.made[number]
	return x, ok
}

// highest returns the highest number of a combination.
func (c *combinations) highest() int64 {
	n := c.kept
	for number := range c.made {
		n = max(n, number)
	}
	return n
}

// gather returns the bytes of a rank's memory that an operation with a combination reads.
func (c *combinations) gather(memory []byte, number int64) []byte {
	if number == 0 || len(memory) == 0 {
		return memory
	}
	x, _ := c.of(number)
	if x.gather == nil {
		return memory
	}
	data := make([]byte, len(memory))
	x.gather(data, memory)
	return data
}
