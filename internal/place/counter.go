package place

import "sync"

// counter counts what all searches have tried, and tells each new percent.
type counter struct {
	mutex     sync.Mutex
	done, all int
	percent   int
	tell      func(share float64) // nil: nobody is told
}

func newCounter(all int, tell func(float64)) *counter {
	return &counter{all: max(all, 1), tell: tell}
}

func (c *counter) add(n int) {
	if c.tell == nil {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.done = min(c.done+n, c.all)
	if percent := 100 * c.done / c.all; percent > c.percent {
		c.percent = percent
		c.tell(float64(c.done) / float64(c.all))
	}
}
