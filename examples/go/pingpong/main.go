// Command pingpong measures a simulated network as one measures a real one: a message is sent back
// and forth between two ranks, for many sizes and two distances.
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

// Partners of rank 0: at (1,0,0) and (4,4,4) on the torus.
const (
	neighbour = 1
	farthest  = 4 + 4*8 + 4*8*8
)

// rounds is the number of round trips of a message.
const rounds = 4

func main() {
	for _, m := range []measurement{
		{name: "neighbour", partner: neighbour},
		{name: "farthest", partner: farthest},
	} {
		if _, err := m.experiment().Run(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Printf("%s (rank %d)\n%10s %12s %10s\n", m.name, m.partner, "bytes", "one way, ns", "MB/s")
		for _, s := range m.samples {
			fmt.Printf(
				"%10d %12.1f %10.1f\n",
				s.size, 1e9*s.oneWay.Seconds(), float64(s.size)/s.oneWay.Seconds()/1e6,
			)
		}
	}
}

// measurement holds the times that rank 0 measures with one partner.
type measurement struct {
	name    string
	partner int
	samples []sample
}

// sample is the mean one-way time for one message size: half of a round trip.
type sample struct {
	size   int // bytes
	oneWay mpi.Duration
}

// experiment returns an experiment that runs the program on a torus of 8x8x8 routers, with default
// values otherwise.
func (m *measurement) experiment() *fabricast.Experiment {
	return &fabricast.Experiment{
		Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{8, 8, 8}}},
		Program: m.program,
	}
}

func (m *measurement) program(rank *mpi.Rank) {
	switch rank.Rank() {
	case 0:
		m.samples = nil
		for size := 1; size <= 1<<20; size *= 4 {
			m.samples = append(m.samples, sample{size, m.measure(rank, mpi.Size(size))})
		}
	case m.partner:
		for size := 1; size <= 1<<20; size *= 4 {
			echo(rank, mpi.Size(size))
		}
	}
}

// measure sends a message back and forth and returns the mean time of one direction.
func (m *measurement) measure(rank *mpi.Rank, buf mpi.Buf) mpi.Duration {
	start := rank.Now()
	for range rounds {
		rank.Send(buf, m.partner, 0)
		rank.Recv(buf, m.partner, 0)
	}
	return (rank.Now() - start) / (2 * rounds)
}

func echo(rank *mpi.Rank, buf mpi.Buf) {
	for range rounds {
		rank.Recv(buf, 0, 0)
		rank.Send(buf, 0, 0)
	}
}
