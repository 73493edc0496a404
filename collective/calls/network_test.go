package calls_test

import (
	"testing"

	"fabricast"

	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/internal/producttest"
	"fabricast/mpi"
	"fabricast/topology"
)

// network returns the network of a case: a torus that the ranks fill, or one with groups, if the
// algorithm needs that.
func (c *Case) network() topology.Spec {
	switch {
	case c.Needs == collective.NeedsGroups:
		return topology.DragonflySpec{P: 4, A: 4, H: 2}
	case c.Needs == collective.NeedsBox && c.Ranks == 12:
		return topology.TorusSpec{Dims: []int{4, 3}}
	case c.Needs == collective.NeedsBox && c.Ranks == 64:
		return topology.TorusSpec{Dims: []int{4, 4, 4}}
	case c.Needs == collective.NeedsBox && c.Ranks < 12:
		return topology.TorusSpec{Dims: []int{c.Ranks}}
	}
	return topology.TorusSpec{Dims: []int{5, 5, 4}}
}

// Every algorithm delivers the right data on a simulated network too, with
// one copy of messages and with none: on a third of the numbers of ranks, others for each commit.
func TestRightDataOnANetwork(t *testing.T) {
	for i, c := range Cases() {
		if !producttest.Turn(t, i, 3) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			e := &fabricast.Experiment{
				Network: experiment.Network{Topology: c.network()},
				Node:    experiment.Node{Copies: []string{experiment.CopiesZero, experiment.CopiesOne}[i%2]},
				Ranks:   c.Ranks,
				Mapping: experiment.Mapping{Order: experiment.MappingRandom},
				Program: func(rank *mpi.Rank) { c.Program(rank) },
			}
			r, err := e.Run(t.Context(), fabricast.Workers(1))
			if err != nil {
				t.Fatal(err)
			}
			if r.Unreceived != 0 {
				t.Errorf("%d messages were not received", r.Unreceived)
			}
			if err := c.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}
