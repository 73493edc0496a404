// Command halo solves the heat equation on a periodic square or cube that is divided into blocks,
// one for each rank. The ranks exchange the borders of their blocks with real contents. So the
// program computes the same result as on a real machine, while its communication time is predicted.
package main

import (
	"context"
	"fmt"
	"os"

	"fabricast"
	"fabricast/experiment"
	"fabricast/topology"
)

func main() {
	for _, p := range []*problem{square, cube} {
		result, err := p.experiment().Run(context.Background())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Printf("%d-D: %d ranks, %d steps in %v, last change %.3g\n",
			p.dims, result.Ranks, p.steps, result.SimulatedTime, p.change)
	}
}

// The problems that the command solves.
var (
	square = &problem{dims: 2, ranks: 8, cells: 32, steps: 10}
	cube   = &problem{dims: 3, ranks: 4, cells: 8, steps: 5}
)

// experiment returns an experiment that runs the blocks on a torus of the same shape as the domain.
func (p *problem) experiment() *fabricast.Experiment {
	dims := make([]int, p.dims)
	for d := range dims {
		dims[d] = p.ranks
	}
	return &fabricast.Experiment{
		Network: experiment.Network{Topology: topology.TorusSpec{Dims: dims}},
		Program: p.program,
	}
}
