//go:build cgo && linux && amd64

package cmpi_test

import (
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"fabricast"
	"fabricast/cmpi"
	"fabricast/experiment"
	"fabricast/replay"
	"fabricast/topology"
	"fabricast/trace"
	"fabricast/trace/formats"
)

// TestRecord records programs in C that a seed draws, on machines that it draws too, and replays
// them with the same result.
func TestRecord(t *testing.T) {
	const experiments = 20
	program := compile(t, "testdata/record/any.c")
	for seed := range uint64(experiments) {
		random := rand.New(rand.NewPCG(seed, 11))
		e := anyMachine(random)
		job, err := cmpi.Load(program, []string{strconv.Itoa(random.IntN(100_000))}, cmpi.Options{Ranks: e.Ranks})
		if err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		paths := []string{filepath.Join(folder, "run.fbt"), filepath.Join(folder, "run.otf2")}
		recorder := replay.NewRecorders(0)
		recorder.Native(paths[0], folder)
		recorder.OTF2(paths[1], folder)
		e.Launch, e.TwoSided = job.Launcher(), job.TwoSided()
		result, err := e.Run(
			t.Context(), fabricast.WrapPrograms(recorder.Wrap), fabricast.Workers(1+random.IntN(3)),
		)
		if err == nil {
			err = job.Err()
		}
		if err == nil {
			err = recorder.Close()
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, path := range paths {
			source, err := formats.Open(path, trace.Options{})
			if err != nil {
				t.Fatal(err)
			}
			again, err := replay.New(source, replay.Options{})
			if err != nil {
				t.Fatal(err)
			}
			e.Launch, e.TwoSided = again.Launcher(), true
			replayed, err := e.Run(t.Context(), fabricast.Workers(1+random.IntN(3)))
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, source.Format(), err)
			}
			if replayed.Hash != result.Hash {
				t.Errorf(
					"seed %d: %s has hash %s, that of the recorded run is %s: %+v",
					seed, source.Format(), replayed.Hash, result.Hash, e,
				)
			}
		}
	}
}

// anyMachine draws a machine for a few ranks.
func anyMachine(random *rand.Rand) fabricast.Experiment {
	networks := []topology.Spec{
		topology.TorusSpec{Dims: []int{4, 2, 2}},
		topology.MeshSpec{Dims: []int{3, 6}},
		topology.DragonflySpec{P: 2, A: 4, H: 2},
		topology.KaryTreeSpec{K: 4, N: 2},
		topology.HyperXSpec{Dims: []int{4, 4}},
	}
	e := fabricast.Experiment{
		Network: experiment.Network{Topology: networks[random.IntN(len(networks))]},
		Ranks:   2 + random.IntN(14),
		Seed:    random.Uint64N(1000),
	}
	e.Node.Overhead = fabricast.Time(random.IntN(3)) * 150_000
	e.Node.Ranks = 1 + random.IntN(2)
	if random.IntN(2) == 0 {
		e.Node.Copies = experiment.CopiesOne
	}
	if random.IntN(3) == 0 {
		e.Noise = experiment.Noise{Every: 1_000_000, Lose: 100_000}
	}
	if random.IntN(3) == 0 {
		e.Node.Protocol = experiment.Protocol{Rendezvous: []string{"write", "read"}[random.IntN(2)], Eager: 1000}
	}
	return e
}
