package alltoall

import (
	"testing"

	"fabricast/collective"
	"fabricast/node"
)

func TestMarkedCountsNumbersWithABitSet(t *testing.T) {
	for p := range 200 {
		for bit := 1; bit < 256; bit <<= 1 {
			want := 0
			for i := range p {
				if i&bit != 0 {
					want++
				}
			}
			if got := marked(p, bit); got != want {
				t.Errorf("marked(%d, %d) = %d, want %d", p, bit, got, want)
			}
		}
	}
}

// A rank of a large Bruck all-to-all of sizes must not need memory or time that
// grows with the number of ranks.
func TestBruckOfSizesTakesNoMemory(t *testing.T) {
	c := &endless{size: 1 << 20}
	send := node.Size(c.size * 4)
	allocs := testing.AllocsPerRun(10, func() { Bruck(c, send, send) })
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
	if c.rounds != 11*20 {
		t.Errorf("%d rounds in 11 runs, want 20 each", c.rounds)
	}
}

// endless is a communicator whose messages go nowhere.
type endless struct {
	collective.Comm
	size, rounds int
}

func (c *endless) Rank() int { return 1 }
func (c *endless) Size() int { return c.size }

func (c *endless) Round(k, _ int) int { return k }

func (c *endless) Sendrecv(send node.Buf, _, _ int, _ node.Buf, _, _ int) node.Status {
	c.rounds++
	return node.Status{Size: send.Len()}
}
