package main

import (
	"testing"

	"fabricast/examples/go/internal/golden"
	"fabricast/mpi"
)

// oneByte returns the one-way time of one byte over the given number of links between routers, by
// the closed form of the model: overhead and DMA at both ends, 146 ns for each router, 100 ns for
// each cable, and a packet of one flit of 16 bytes at 8 GB/s.
func oneByte(links mpi.Duration) mpi.Duration {
	const overhead, dma = 200 * mpi.Nanosecond, 100 * mpi.Picosecond
	return 2*overhead + 2*dma + (links+1)*146*mpi.Nanosecond + (links+2)*100*mpi.Nanosecond + 2*mpi.Nanosecond
}

func TestPingPong(t *testing.T) {
	f := func(name string, partner int, links mpi.Duration) {
		t.Helper()
		m := &measurement{partner: partner}
		golden.Check(t, name, m.experiment())
		if got, want := m.samples[0].oneWay, oneByte(links); got != want {
			t.Errorf("one byte over %d links takes %v, want %v", links, got, want)
		}
	}
	f("neighbour", neighbour, 1)
	f("farthest", farthest, 12)
}
