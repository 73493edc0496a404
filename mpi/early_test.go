package mpi_test

import (
	"math/rand/v2"
	"testing"

	"fabricast/internal/units"
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/node/nodetest"
)

// rounds returns a loop in which each rank exchanges messages with several others in each round, and
// at times with itself, and waits for all of a round some rounds later.
func rounds(seed uint64) *mpi.Loop {
	draw := rand.New(rand.NewPCG(seed, 1))
	computes := draw.IntN(3) == 0
	each, window, last := 1+draw.IntN(4), 1+draw.IntN(5), 9
	return &mpi.Loop{
		Open: 2 * each * window,
		Body: func(r *mpi.Rank, i int, open []mpi.Request) bool {
			random := rand.New(rand.NewPCG(seed, uint64(i)+2))
			round := open[2*each*(i%window):][:2*each]
			for k := range each {
				ranks, shift := r.Size(), random.IntN(3)*random.IntN(r.Size())
				buf := mpi.Size(random.IntN(3) * random.IntN(3000))
				from, to := (r.Rank()+ranks-shift%ranks)%ranks, (r.Rank()+shift)%ranks
				round[2*k], round[2*k+1] = r.Irecv(buf, from, k), r.Isend(buf, to, k)
				if computes {
					r.Compute(mpi.Duration(random.IntN(3) * random.IntN(600_000) * (1 + r.Rank()%2)))
				}
			}
			if i+1 == last {
				r.WaitAll(open)
				return false
			}
			r.WaitAll(open[2*each*((i+1)%window):][:2*each])
			return true
		},
	}
}

// Messages of a loop may meet their receives before they are in memory. Coroutines on a network that
// announces messages when they are in memory show what comes of it if they do not.
func TestMessagesThatMeetEarly(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		spec := testSpec(1 + random.IntN(9))
		spec.Overhead = 1 + units.Time(random.IntN(3)*random.IntN(200_000))
		spec.OneCopy = seed%3 == 0
		network := nodetest.Network{
			Latency: 1 + random.Int64N(900_000), ByteTime: random.Int64N(300), ReadTime: random.Int64N(100),
		}
		loop := rounds(seed)
		runs := [2]*node.World{}
		for i, launch := range []node.Launcher{mpi.Programs(loop.Main), loop.Programs()} {
			w, err := node.NewWorld(spec, launch)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			n := network
			n.Late = i == 0
			if n.Run(w, len(spec.HostOf), 1); w.Err() != nil || w.Finished() != len(spec.HostOf) {
				t.Fatalf("seed %d: %d ranks have finished: %v", seed, w.Finished(), w.Err())
			}
			runs[i] = w
		}
		if got, want := runs[1].Stats().Hash, runs[0].Stats().Hash; got != want {
			t.Errorf("seed %d: hash %x, as coroutines %x", seed, got, want)
		}
		for rank := range spec.HostOf {
			if got, want := runs[1].Record(rank), runs[0].Record(rank); got != want {
				t.Errorf("seed %d: %+v, as coroutines %+v", seed, got, want)
			}
		}
	}
}
