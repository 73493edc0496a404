package mpi_test

import (
	"math/rand/v2"
	"testing"

	"fabricast/mpi"
	"fabricast/node/nodetest"
)

// mostPolls is how often a rank asks before it waits instead: in a network that
// is stuck, polling would go on for ever.
const mostPolls = 1000

// medley is a program in which ranks use every call, chosen by the seed. What
// some of them do depends on which message comes first.
func medley(seed uint64) func(*mpi.Rank) {
	return medleyOf(
		seed,
		func(r *mpi.Rank, _ *rand.Rand, buf mpi.Buf, to, tag int) mpi.Request { return r.Isend(buf, to, tag) },
	)
}

// sender starts a send.
type sender func(r *mpi.Rank, own *rand.Rand, buf mpi.Buf, to, tag int) mpi.Request

// medleyOf is medley with sends of any kind.
func medleyOf(seed uint64, isend sender) func(*mpi.Rank) {
	return func(r *mpi.Rank) {
		own := rand.New(rand.NewPCG(seed, uint64(r.Rank())))
		common := rand.New(rand.NewPCG(seed, 1<<40))
		for round := range 6 {
			exchangeSomehow(r, own, isend, 1+common.IntN(r.Size()), round)
		}
		c := r.Split(common.IntN(3)*r.Rank()%2, own.IntN(5))
		c.Sendrecv(mpi.Size(own.IntN(300)), (c.Rank()+1)%c.Size(), 3, mpi.Size(300), mpi.AnySource, 3)
		serve(r, own)
	}
}

// exchangeSomehow sends to the rank a shift above and receives from the rank a
// shift below. The tag tells rounds apart.
func exchangeSomehow(r *mpi.Rank, own *rand.Rand, isend sender, shift, round int) {
	n := r.Size()
	to, from := (r.Rank()+shift)%n, (r.Rank()-shift%n+n)%n
	if own.IntN(3) == 0 {
		r.Compute(mpi.Duration(own.IntN(2_000_000)))
	}
	send := isend(r, own, mpi.Size(own.IntN(4)*own.IntN(400)), to, round)
	buf := mpi.Size(1200)
	switch own.IntN(7) {
	case 0:
		r.Recv(buf, from, round)
	case 1:
		r.Recv(buf, mpi.AnySource, round)
	case 2:
		r.Recv(buf, from, mpi.AnyTag)
	case 3:
		s := r.Probe(mpi.AnySource, round)
		r.Recv(mpi.Size(s.Size), s.Source, s.Tag)
	case 4:
		q := r.Irecv(buf, from, round)
		done := false
		for poll := 0; !done && poll < mostPolls; poll++ {
			r.Compute(70 * mpi.Nanosecond)
			_, done = r.Test(q)
		}
		if !done {
			r.Wait(q)
		}
	case 5:
		for poll := 0; poll < mostPolls; poll++ {
			if _, there := r.Iprobe(from, mpi.AnyTag); there {
				break
			}
		}
		r.Recv(buf, from, round)
	case 6:
		rs := []mpi.Request{send, r.Irecv(buf, mpi.AnySource, round)}
		send = mpi.Request{}
		for range rs {
			i, _ := r.WaitAny(rs)
			r.Compute(mpi.Duration(i * 1000))
		}
	}
	r.Wait(send)
}

// serve lets rank 0 deal out work to whoever asks first.
func serve(r *mpi.Rank, own *rand.Rand) {
	const jobs = 3
	if r.Rank() != 0 {
		for range jobs {
			r.Sendrecv(mpi.Size(8), 0, 100+own.IntN(9), mpi.Size(400), 0, mpi.AnyTag)
			r.Compute(mpi.Duration(own.IntN(100_000)))
		}
		return
	}
	for job := range jobs * (r.Size() - 1) {
		s := r.Recv(mpi.Size(8), mpi.AnySource, mpi.AnyTag)
		r.Send(mpi.Size(job%7*50), s.Source, job)
	}
}

// TestProgramsRunTheSameOnEveryNetwork uses programs whose course depends on the order of
// events. Whether messages wait for their time in an outbox makes no difference to them.
func TestProgramsRunTheSameOnEveryNetwork(t *testing.T) {
	for seed, spec := range nodetest.Networks(t, 40) {
		nodes := nodetest.NodesFor(spec, seed)
		want := nodetest.SameEverywhere(t, spec, nodes, mpi.Programs(medley(seed)), seed)
		nodes.Replies = true
		if got := nodetest.SameEverywhere(t, spec, nodes, mpi.Programs(medley(seed)), seed); got != want {
			t.Fatalf("seed %d: with an outbox\n%s\nwithout\n%s", seed, got, want)
		}
	}
}

// TestRanksOfOneHostRunTheSameOnEveryNetwork is that with up to three ranks on a host.
func TestRanksOfOneHostRunTheSameOnEveryNetwork(t *testing.T) {
	for seed, spec := range nodetest.Networks(t, 40) {
		if spec.Graph.Hosts > 20 {
			continue
		}
		nodes := nodetest.NodesFor(spec, seed)
		nodetest.Crowd(&nodes, seed)
		nodetest.SameEverywhere(t, spec, nodes, mpi.Programs(medley(seed)), seed)
	}
}
