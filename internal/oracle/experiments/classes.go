package experiments

import (
	"math/rand/v2"

	"fabricast/fabric"
	"fabricast/routing"
)

// DrawClassed is like Draw, DrawGeneral or DrawShaped, for routers in which each class of messages has
// virtual channels of its own.
func DrawClassed(seed uint64) *Experiment {
	from := []func(uint64) *Experiment{Draw, DrawGeneral, DrawGeneral, DrawShaped}
	e := from[seed%uint64(len(from))](seed)
	drawer{rand.New(rand.NewPCG(seed, 0x636c617373)), light}.classed(e)
	return e
}

// classed gives the routers of an experiment two to four classes.
func (d drawer) classed(e *Experiment) {
	r := &e.Router
	r.Allocation, r.Allocator = fabric.CombinedAllocation, fabric.MaximalAllocator
	e.Turns, e.Control = false, false
	if e.NICs > 1 {
		e.IOBus = fabric.IOBus{}
	}
	spec, err := e.network()
	most := routing.MaxVCs / r.VCs
	if err != nil || most < 2 {
		return
	}
	for range d.between(2, min(4, most)) {
		r.Classes = append(r.Classes, fabric.Class{Priority: d.IntN(2), Weight: pick(d, 1, 1, 2, 3, 10, 10_000)})
	}
	if spec.Adaptive != nil {
		for i := range r.Classes {
			r.Classes[i].Weight = 1
		}
	}
	r.VCs *= len(r.Classes)
	for i := range e.Messages {
		e.Messages[i].Class = uint8(d.IntN(len(r.Classes) + 1))
	}
}
