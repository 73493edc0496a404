package engine_test

import (
	"fmt"
	"log"
	"math"
	"sync/atomic"

	"fabricast/engine"
)

// countdown is a block with something to do in three windows.
type countdown struct{ left, window int64 }

func (c *countdown) Next() int64 {
	if c.left == 0 {
		return math.MaxInt64
	}
	return 10 * (4 - c.left)
}

func (c *countdown) Run(window int64, _ uint64) {
	fmt.Println("window", window)
	c.left--
}

func (c *countdown) Sent(int) int64         { return math.MaxInt64 }
func (c *countdown) Lookahead() int64       { return 100 }
func (c *countdown) Window() int64          { return c.window }
func (c *countdown) SetWindow(length int64) { c.window = length }
func (c *countdown) Collect(uint64)         {}
func (c *countdown) Work() uint64           { return 0 }

// Windows in which no block has anything to do are skipped.
func ExampleRun() {
	windows, err := engine.Run([]engine.Block{&countdown{left: 3, window: 100}}, 1, new(atomic.Bool))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(windows, "windows were executed")
	// Output:
	// window 10
	// window 20
	// window 30
	// 3 windows were executed
}
