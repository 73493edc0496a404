package networks

import (
	"context"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/mpi"
	"fabricast/topology"
)

// TestZeroLoad holds a message on an idle network to the closed form that
// Preview states, to the picosecond.
func TestZeroLoad(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawNetwork(t)
		e.Workload = experiment.Workload{
			Program: "ring",
			Size:    fabricast.Bytes(rapid.IntRange(1, 488).Draw(t, "size")),
		}
		preview, err := e.Preview()
		if err != nil {
			t.Fatal(err)
		}
		message := mpi.Size(int(e.Workload.Size))
		var received fabricast.Time
		e.Workload = experiment.Workload{}
		e.Program = func(r *mpi.Rank) {
			switch r.Rank() {
			case 0:
				r.Send(message, 1, 0)
			case 1:
				r.Recv(message, 0, 0)
				received = fabricast.Time(r.Now())
			}
		}
		if _, err := e.Run(context.Background(), fabricast.Workers(1)); err != nil {
			t.Fatal(err)
		}
		if received != preview.ZeroLoad.Neighbour {
			t.Errorf(
				"%d bytes to a neighbour took %d ps, forecast %d ps",
				message.Len(), received, preview.ZeroLoad.Neighbour,
			)
		}
	})
}

// TestPreviewOfProtocols holds what Preview says of a message to what the message takes on an idle
// network, to the picosecond: by every protocol, of one packet and of many, paced and not.
func TestPreviewOfProtocols(t *testing.T) {
	streamed := 0
	rapid.Check(t, func(t *rapid.T) {
		e := drawNetwork(t)
		if rapid.Bool().Draw(t, "fast memory, large buffers") {
			drawStreaming(t, &e)
		}
		n := rapid.IntRange(0, 6000).Draw(t, "size")
		e.Workload = experiment.Workload{
			Program:   "alltoall",
			Algorithm: "ring",
			Size:      fabricast.Bytes(n),
			Empty:     n == 0,
		}
		switch rapid.IntRange(0, 4).Draw(t, "protocol") {
		case 0:
			e.Node.Protocol = experiment.Protocol{Eager: 400, Rendezvous: experiment.RendezvousWrite}
		case 1:
			e.Node.Protocol = experiment.Protocol{Eager: 400, Rendezvous: experiment.RendezvousRead}
		case 2:
			e.Workload.By = "put"
			e.Workload.Pacing.Gap = rapid.SampledFrom([]string{"", "1", "3"}).Draw(t, "gap of puts")
		case 3:
			e.Workload.Pacing.Gap = rapid.SampledFrom([]string{"0", "1", "3"}).Draw(t, "gap")
		}
		e.Node.Gap = rapid.SampledFrom([]fabricast.Fraction{0, fabricast.Whole / 8, fabricast.Whole}).
			Draw(t, "gap of all NICs")
		preview, err := e.Preview()
		if err != nil {
			t.Fatal(err)
		}
		z := preview.ZeroLoad
		if n == 0 && z.Payload != 0 {
			t.Fatalf("%v of a message without payload", z.Payload)
		}
		if z.Packets > 1 {
			streamed++
			if int(z.Payload) != n {
				t.Fatalf("%d packets of a message of %v, expected one of %d bytes", z.Packets, z.Payload, n)
			}
		}
		if got := zeroLoadRun(t, e, int(z.Payload), 0, 1); got != z.Neighbour {
			t.Errorf(
				"%s of %v in %d packets with a gap of %v took %d ps, forecast %d ps",
				z.Protocol, z.Payload, z.Packets, z.Gap, got, z.Neighbour,
			)
		}
	})
	if streamed == 0 && !testing.Short() { // few draws may have none
		t.Error("no message of several packets")
	}
}

// drawStreaming makes a network such that packets follow one another at its slowest place.
func drawStreaming(t *rapid.T, e *fabricast.Experiment) {
	n, fast := &e.Network, rapid.Int64Range(101, 400)
	slow := rapid.Int64Range(1e8, 1e10).Draw(t, "slowest")
	n.HostLink.Bandwidth = fabricast.Rate(slow)
	n.Link.Bandwidth = fabricast.Rate(slow * fast.Draw(t, "link") / 100)
	n.Router.Bandwidth = fabricast.Rate(slow * fast.Draw(t, "crossbar") / 100)
	if rapid.Bool().Draw(t, "slow links") {
		n.HostLink.Bandwidth, n.Link.Bandwidth = n.Link.Bandwidth, n.HostLink.Bandwidth
	}
	n.Router.Buffer = 256 * fabricast.MiB
	e.Node.DMA = fabricast.Rate(slow * 5)
	e.Node.IOBus.Bandwidth = min(e.Node.IOBus.Bandwidth, 1) * fabricast.Rate(slow*6)
}

// TestPreviewOfUnlikeHosts holds what Preview says of messages between two hosts with links of their own
// to what they take on an idle network, to the picosecond: of one packet and of many, either way.
func TestPreviewOfUnlikeHosts(t *testing.T) {
	streamed := 0
	rapid.Check(t, func(t *rapid.T) {
		e := drawNetwork(t)
		e.Network.Topology = topology.TorusSpec{Dims: []int{2}}
		if rapid.Bool().Draw(t, "fast memory, large buffers") {
			drawStreaming(t, &e)
		}
		drawHostLinks(t, &e)
		if rapid.Bool().Draw(t, "very fast memory") {
			e.Node.DMA = 300 * fabricast.GBPerSecond
			e.Node.IOBus = experiment.IOBus{}
		}
		e.Workload = experiment.Workload{
			Program: "alltoall", Algorithm: "ring", Size: fabricast.Bytes(rapid.IntRange(1, 6000).Draw(t, "size")),
		}
		e.Node.Gap = rapid.SampledFrom([]fabricast.Fraction{0, fabricast.Whole}).Draw(t, "gap of all NICs")
		preview, err := e.Preview()
		if err != nil {
			t.Fatal(err)
		}
		z := preview.ZeroLoad
		if z.Packets > 1 && len(preview.HostLinks) > 1 {
			streamed++
		}
		there, back := zeroLoadRun(t, e, int(z.Payload), 0, 1), zeroLoadRun(t, e, int(z.Payload), 1, 0)
		if min(there, back) != z.Neighbour || max(there, back) != z.Farthest || (there+back+1)/2 != z.Mean {
			t.Fatalf("%d packets took %d and %d ps, forecast %+v", z.Packets, there, back, z)
		}
	})
	if streamed == 0 && !testing.Short() {
		t.Error("no message of several packets")
	}
}

// zeroLoadRun is what a message from one rank to another takes, from the call of send to the return of
// the receive.
func zeroLoadRun(t *rapid.T, e fabricast.Experiment, n, from, to int) (received fabricast.Time) {
	byPut := e.Workload.By == "put"
	gap, _ := strconv.Atoi(e.Workload.Pacing.Gap)
	e.Workload = experiment.Workload{}
	e.Program = func(r *mpi.Rank) {
		o := mpi.Options{Gap: uint32(gap)}
		switch {
		case r.Rank() == from && byPut:
			r.ByPut().SendWith(mpi.Size(n), to, 0, o)
		case r.Rank() == from:
			r.SendWith(mpi.Size(n), to, 0, o)
		case r.Rank() == to && byPut:
			r.ByPut().Recv(mpi.Size(n), from, 0)
		case r.Rank() == to:
			r.Recv(mpi.Size(n), from, 0)
		}
		if r.Rank() == to {
			received = fabricast.Time(r.Now())
		}
	}
	if _, err := e.Run(context.Background(), fabricast.Workers(1)); err != nil {
		t.Fatal(err)
	}
	return received
}
