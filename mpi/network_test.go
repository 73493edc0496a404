package mpi_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/oracle"
	"fabricast/internal/oracle/experiments"
	"fabricast/mpi"
	"fabricast/node"
)

// mostPolls is how often a rank asks before it waits instead: in a network that
// is stuck, polling would go on for ever.
const mostPolls = 1000

// medley is a program in which ranks use every call, chosen by the seed. What
// some of them do depends on which message comes first.
func medley(seed uint64) func(*mpi.Rank) {
	return medleyOf(seed, func(r *mpi.Rank, _ *rand.Rand, buf mpi.Buf, to, tag int) mpi.Request { return r.Isend(buf, to, tag) })
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
		r.Recv(mpi.Size(int(s.Size)), int(s.Source), int(s.Tag))
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
		r.Send(mpi.Size(job%7*50), int(s.Source), job)
	}
}

// nodesFor puts a rank on every host of a network, in an order of the seed.
func nodesFor(spec fabric.Spec, seed uint64) node.Spec {
	g := spec.Graph
	random := rand.New(rand.NewPCG(seed, 77))
	s := node.Spec{
		Hosts: g.Hosts, NICsPerHost: g.NICsPerHost, OneCopy: random.IntN(3) == 0,
		Overhead: int64(random.IntN(3)) * 150_000, Memory: 1e9 + random.Int64N(1e10),
	}
	for _, h := range random.Perm(g.Hosts) {
		s.HostOf = append(s.HostOf, int32(h))
	}
	return s
}

// outcome is all that a run says about its ranks and messages.
func outcome(w *node.World) string {
	s := w.Stats()
	text := fmt.Sprintf("%d messages, %d bytes, hash %x, end %d, error %v, deadlock %v\n",
		s.Messages, s.Bytes, s.Hash, s.End, w.Err(), w.Deadlock())
	for rank := range w.Ranks() {
		text += fmt.Sprintf("%+v\n", w.Record(rank))
	}
	return text
}

func runOnOracle(t *testing.T, spec fabric.Spec, nodes node.Spec, programs node.Launcher) string {
	w, err := node.NewWorld(nodes, programs)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	b := w.NewBlock(0, int32(spec.Graph.Hosts))
	o, err := oracle.New(spec, b)
	if err != nil {
		t.Fatal(err)
	}
	b.Start(o)
	if err := o.Run(); err != nil {
		t.Fatal(err)
	}
	return outcome(w)
}

func runOnFabric(t *testing.T, spec fabric.Spec, nodes node.Spec, programs node.Launcher, workers int) string {
	network, err := fabric.New(spec, workers)
	if err != nil {
		t.Fatal(err)
	}
	defer network.Close()
	w, err := node.NewWorld(nodes, programs)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var blocks []engine.Block
	var ends []*node.Block
	for _, b := range network.Blocks() {
		n := w.NewBlock(b.Hosts())
		b.SetEndpoint(n)
		blocks, ends = append(blocks, b), append(ends, n)
	}
	for i, b := range network.Blocks() {
		ends[i].Start(b)
	}
	if _, err := engine.Run(blocks, workers, new(atomic.Bool)); err != nil {
		t.Fatal(err)
	}
	return outcome(w)
}

// networks yields random networks of 2 to 40 hosts on which packets cannot get stuck.
func networks(t *testing.T, runs int) func(yield func(seed uint64, spec fabric.Spec) bool) {
	return func(yield func(uint64, fabric.Spec) bool) {
		for seed := uint64(1); runs > 0; seed++ {
			e := experiments.Draw(seed)
			if e.Unsafe {
				continue
			}
			spec, err := e.Spec()
			if err != nil {
				t.Fatal(err)
			}
			if spec.Graph.Hosts < 2 || spec.Graph.Hosts > 40 {
				continue
			}
			runs--
			if !yield(seed, spec) {
				return
			}
		}
	}
}

// sameEverywhere holds the fabric in one and in several blocks to the oracle, on which the
// program must end well, and returns what comes of it.
func sameEverywhere(t *testing.T, spec fabric.Spec, nodes node.Spec, programs node.Launcher, seed uint64) string {
	t.Helper()
	want := runOnOracle(t, spec, nodes, programs)
	if !strings.Contains(want, "error <nil>, deadlock <nil>") {
		t.Fatalf("seed %d: %s", seed, want)
	}
	for workers := 1; workers <= 3; workers++ {
		if got := runOnFabric(t, spec, nodes, programs, workers); got != want {
			t.Fatalf("seed %d, %d workers:\n%s\nwant\n%s", seed, workers, got, want)
		}
	}
	return want
}

// TestProgramsRunTheSameOnEveryNetwork uses programs whose course depends on the order of
// events. Whether messages wait for their time in an outbox makes no difference to them.
func TestProgramsRunTheSameOnEveryNetwork(t *testing.T) {
	for seed, spec := range networks(t, 60) {
		nodes := nodesFor(spec, seed)
		want := sameEverywhere(t, spec, nodes, mpi.Programs(medley(seed)), seed)
		nodes.Replies = true
		if got := sameEverywhere(t, spec, nodes, mpi.Programs(medley(seed)), seed); got != want {
			t.Fatalf("seed %d: with an outbox\n%s\nwithout\n%s", seed, got, want)
		}
	}
}

// TestRanksOfOneHostRunTheSameOnEveryNetwork is that with up to three ranks on a host.
func TestRanksOfOneHostRunTheSameOnEveryNetwork(t *testing.T) {
	for seed, spec := range networks(t, 40) {
		if spec.Graph.Hosts > 20 {
			continue
		}
		nodes := nodesFor(spec, seed)
		random := rand.New(rand.NewPCG(seed, 78))
		for h := range spec.Graph.Hosts {
			for range random.IntN(3) {
				nodes.HostOf = append(nodes.HostOf, int32(h))
			}
		}
		random.Shuffle(len(nodes.HostOf), func(i, j int) {
			nodes.HostOf[i], nodes.HostOf[j] = nodes.HostOf[j], nodes.HostOf[i]
		})
		nodes.Intra = node.Intra{Latency: random.Int64N(2) * 300_000, Bandwidth: random.Int64N(2) * 3e9}
		sameEverywhere(t, spec, nodes, mpi.Programs(medley(seed)), seed)
	}
}
