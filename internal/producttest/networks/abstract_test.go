package networks

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/internal/producttest"
	"fabricast/mpi"
	"fabricast/topology"
)

// TestFiguresOfLogGOPSim demands what LogGOPSim predicts with its own parameters, to the picosecond.
func TestFiguresOfLogGOPSim(t *testing.T) {
	const ns = fabricast.Nanosecond
	exchange := func(size int, posted fabricast.Time) (sent, received fabricast.Time) {
		e := fabricast.Experiment{Network: experiment.Network{Model: experiment.ModelLogGOPS}, Ranks: 2}
		e.Program = func(r *mpi.Rank) {
			if r.Rank() == 0 {
				r.Send(mpi.Size(size), 1, 0)
				sent = fabricast.Time(r.Now())
				return
			}
			r.Compute(mpi.Duration(posted))
			r.Recv(mpi.Size(size), 0, 0)
			received = fabricast.Time(r.Now())
		}
		if _, err := e.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		return sent, received
	}
	for _, c := range []struct {
		size                   int
		posted, sent, received fabricast.Time
	}{
		{8, 0, 1500 * ns, 5542 * ns},
		{65535, 0, 1500 * ns, 398704 * ns},
		{100000, 1000000 * ns, 1000000 * ns, 1601494 * ns},
		{100000, 0, 4000 * ns, 605494 * ns}, // taken as soon as its first byte is there
	} {
		if sent, received := exchange(c.size, c.posted); sent != c.sent || received != c.received {
			t.Errorf("%d bytes: sent at %v, received at %v, want %v and %v",
				c.size, sent, received, c.sent, c.received)
		}
	}
	for name, program := range map[string]func(r *mpi.Rank){
		"dissemination barrier": func(r *mpi.Rank) {
			for far := 1; far < r.Size(); far *= 2 {
				n := r.Size()
				r.Sendrecv(mpi.Size(8), (r.Rank()+far)%n, 0, mpi.Size(8), (r.Rank()+n-far)%n, 0)
			}
		},
		"binomial broadcast": func(r *mpi.Rank) { r.Broadcast(mpi.Size(8), 0, collective.Binomial) },
	} {
		e := fabricast.Experiment{Network: experiment.Network{Model: experiment.ModelLogGOPS}, Ranks: 1024}
		e.Program = program
		result, err := e.Run(context.Background())
		if err != nil || result.SimulatedTime != 55420*ns {
			t.Errorf("%s of 1024 ranks: %v, %v, want 55420ns", name, result.SimulatedTime, err)
		}
	}
}

// TestNoContentionIsZeroLoad holds single messages in networks without contention to what they take
// packet by packet in an idle network, whatever is slowest on their way, to the rounding of the
// pieces of several packets.
func TestNoContentionIsZeroLoad(t *testing.T) {
	several := 0
	rapid.Check(t, func(t *rapid.T) {
		e := drawNetwork(t)
		e.Network.Router.Buffer = fabricast.MiB // holds nothing up
		if rapid.Bool().Draw(t, "a rendezvous") {
			e.Node.Protocol = experiment.Protocol{Eager: 400, Rendezvous: rapid.SampledFrom(
				[]string{experiment.RendezvousWrite, experiment.RendezvousRead}).Draw(t, "rendezvous")}
		}
		size := rapid.IntRange(0, 9000).Draw(t, "size")
		to := rapid.IntRange(1, e.Network.Topology.(topology.TorusSpec).Dims[0]-1).Draw(t, "to")
		drawHostLinks(t, &e)
		packets := latency(t, e, 0, to, size)
		e.Network.Model = experiment.ModelContentionFree
		free := latency(t, e, 0, to, size)
		if off := free - packets; off < -4 || off > 4 || size <= 488 && off != 0 {
			t.Fatalf("%d bytes to host %d take %d ps packet by packet, %d ps without contention",
				size, to, packets, free)
		}
		if size > 488 {
			several++
		}
	})
	if several == 0 {
		t.Error("no message of several packets was drawn")
	}
}

// TestNoContentionOnEveryTopology is TestNoContentionIsZeroLoad for networks of every kind, with
// links of every class unlike.
func TestNoContentionOnEveryTopology(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, e := drawUnlikeLinks(t)
		from, to := rapid.IntRange(0, e.Ranks-1).Draw(t, "from"), rapid.IntRange(0, e.Ranks-2).Draw(t, "to")
		if to >= from {
			to++
		}
		size := rapid.IntRange(0, 256).Draw(t, "size")
		packets := latency(t, *e, from, to, size)
		e.Network.Model = experiment.ModelContentionFree
		if free := latency(t, *e, from, to, size); free != packets {
			t.Fatalf("%s: %d bytes from %d to %d take %d ps packet by packet, %d ps without contention",
				text, size, from, to, packets, free)
		}
	})
}

// TestJobsWithoutPackets demands that several jobs on a network without packets take no notice of
// one another: each takes what it takes alone.
func TestJobsWithoutPackets(t *testing.T) {
	for _, model := range experiment.ModelNames()[1:] {
		text := "network: {model: " + model + ", topology: {dims: [4, 4]}}\n"
		alone, err := fabricast.Parse("x.yaml", text+"workload: {program: alltoall, size: 1KiB}\nranks: 4\n")
		if err != nil {
			t.Fatal(err)
		}
		both, err := fabricast.Parse("x.yaml", text+"jobs:\n"+
			"- {name: a, ranks: 4, workload: {program: alltoall, size: 1KiB}}\n"+
			"- {name: b, ranks: 4, workload: {program: barrier}}\n")
		if err != nil {
			t.Fatal(err)
		}
		for workers := 1; workers <= 3; workers++ {
			want, got := producttest.Run(t, alone, fabricast.Workers(workers)), producttest.Run(t, both, fabricast.Workers(workers))
			if got.SimulatedTime != want.SimulatedTime {
				t.Errorf(
					"%s, %d workers: %v with another job, %v alone",
					model,
					workers,
					got.SimulatedTime,
					want.SimulatedTime,
				)
			}
		}
	}
}
