package cmpi_test

import (
	"math/rand/v2"

	"fabricast"
	"fabricast/engine"
	"fabricast/fabric"
	experiments "fabricast/internal/run"
)

// restless moves routers, with the ranks on their hosts, between workers at random.
type restless struct {
	cells  *fabric.Cells
	random *rand.Rand
	moves  *int
}

// restlessly has routers move at random windows, and counts the moves.
func restlessly(moves *int) fabricast.Option {
	return experiments.BalanceBy(func(c *fabric.Cells) engine.Balancer {
		return &restless{c, rand.New(rand.NewPCG(rand.Uint64(), 0)), moves}
	})
}

// Interval implements engine.Balancer.
func (r *restless) Interval() uint64 { return 20 }

// Look implements engine.Balancer.
func (r *restless) Look() {
	cuts := r.cells.Cuts()
	cells := cuts[len(cuts)-1]
	for i := 1; i < len(cuts)-1; i++ {
		// where the ranks are: on the first few of the routers
		few := min(8, cells-cuts[i-1]-(len(cuts)-1-i))
		cuts[i] = cuts[i-1] + 1 + r.random.IntN(few)
	}
	r.cells.Recut(cuts)
	*r.moves++
}
