// Command ring-anysource runs the sample program of NSIM's authors: a bidirectional ring whose
// ranks do not know from which neighbour the next message comes. Its behaviour therefore depends on
// when messages are received.
package main

import (
	"context"
	"fmt"
	"os"

	"fabricast"
	"fabricast/experiment"
	"fabricast/mpi"
	"fabricast/topology"
)

func main() {
	result, err := ring(16).Run(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%d ranks exchange %d messages in %v\n", result.Ranks, result.Messages, result.SimulatedTime)
	fmt.Printf("result hash %s\n", result.Hash)
}

// ring returns an experiment with the ranks on a ring of routers, so that all neighbours are
// equally distant. This is necessary: each rank forwards as many messages as there are ranks, in
// either direction. If one direction were faster than the other somewhere, a rank would run out of
// messages to receive.
func ring(ranks int) *fabricast.Experiment {
	return &fabricast.Experiment{
		Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{ranks}}},
		Program: bidirectionalRing,
	}
}

// bidirectionalRing sends 1 byte to the left and to the right. Then it forwards as many messages as
// there are ranks, each in the direction in which it came, and receives the last two.
func bidirectionalRing(rank *mpi.Rank) {
	n := rank.Size()
	left, right := (rank.Rank()+n-1)%n, (rank.Rank()+1)%n
	token := mpi.Size(1)
	rank.Send(token, left, 0)
	rank.Send(token, right, 0)
	for range n {
		to := left
		if rank.Recv(token, mpi.AnySource, 0).Source == left {
			to = right
		}
		rank.Send(token, to, 0)
	}
	rank.Recv(token, mpi.AnySource, 0)
	rank.Recv(token, mpi.AnySource, 0)
}
