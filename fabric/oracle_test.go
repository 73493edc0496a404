package fabric_test

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/causes"
	"fabricast/internal/draws"
	"fabricast/internal/oracle"
	"fabricast/internal/oracle/experiments"
	"fabricast/internal/units"
)

// TestAgainstOracle runs random experiments on the engine, cut into one to
// four blocks and driven by one to four workers, and on the oracle. They must
// agree in every picosecond and every packet. An experiment on which they do
// not is made as small as possible and printed.
func TestAgainstOracle(t *testing.T) { compareMany(t, 3000, 150, experiments.Draw, fabric.New) }

// TestAgainstOracleHeavy does the same with networks that are full for long.
func TestAgainstOracleHeavy(t *testing.T) { compareMany(t, 60, 2, experiments.DrawHeavy, fabric.New) }

// TestInjectingAhead does the same with NICs that inject before it is time.
func TestInjectingAhead(t *testing.T) {
	ahead := func(spec fabric.Spec, blocks int) (*fabric.Network, error) {
		n, err := fabric.New(spec, blocks)
		if err == nil {
			n.InjectAhead()
		}
		return n, err
	}
	compareMany(t, 1000, 40, draw(experiments.Draw).from(5_000_000), ahead)
	compareMany(t, 20, 1, experiments.DrawHeavy, ahead)
}

// TestPrefetching does the same with blocks that prefetch although their state is small.
func TestPrefetching(t *testing.T) {
	prefetching := func(path newNetwork) newNetwork {
		return func(spec fabric.Spec, blocks int) (*fabric.Network, error) {
			n, err := path(spec, blocks)
			if err == nil {
				n.PrefetchAlways()
			}
			return n, err
		}
	}
	compareMany(t, 300, 30, draw(experiments.Draw).from(11_000_000), prefetching(fabric.New))
	compareMany(t, 100, 10, draw(experiments.DrawGeneral).from(12_000_000), prefetching(fabric.New))
	compareMany(t, 10, 2, draw(experiments.DrawHeavy).from(100), prefetching(fabric.New))
	compareMany(t, 10, 2, draw(experiments.DrawHeavy).from(100), prefetching(fabric.NewGeneral))
}

// TestScatteredAgainstOracle does the same with blocks of any routers.
func TestScatteredAgainstOracle(t *testing.T) {
	scattered := func(path newNetwork) newNetwork {
		return func(spec fabric.Spec, blocks int) (*fabric.Network, error) {
			spec.Cut = scatter(spec.Graph.Routers)
			return path(spec, blocks)
		}
	}
	compareMany(t, 1000, 40, draw(experiments.Draw).from(8_000_000), scattered(fabric.New))
	compareMany(t, 1000, 40, draw(experiments.DrawGeneral).from(9_000_000), scattered(fabric.New))
	compareMany(t, 20, 1, experiments.DrawHeavy, scattered(fabric.New))
}

// scatter returns a cut that puts each router into any block.
func scatter(routers int) func(blocks int) []int32 {
	return func(blocks int) []int32 {
		d := rand.New(rand.NewPCG(uint64(routers), uint64(blocks)))
		list := make([]int32, routers)
		for r := range list {
			if list[r] = int32(r); r >= blocks {
				list[r] = int32(d.IntN(blocks))
			}
		}
		d.Shuffle(routers, func(i, j int) { list[i], list[j] = list[j], list[i] })
		return list
	}
}

// TestSlowAgainstOracle does the same where single steps take seconds: memory of
// a few bytes/s, and cables and routers with delays of up to a second. Times then lie
// far apart, and windows are as long as they get.
func TestSlowAgainstOracle(t *testing.T) {
	compareMany(t, 300, 75, slowed(draw(experiments.Draw).from(2_000_000)), fabric.New)
}

// draw makes the experiment of a seed.
type draw func(seed uint64) *experiments.Experiment

// from is the draw of other seeds.
func (d draw) from(first uint64) draw {
	return func(seed uint64) *experiments.Experiment { return d(first + seed) }
}

func slowed(d draw) draw {
	return func(seed uint64) *experiments.Experiment {
		e := d(seed)
		seed %= 300 // for times that are not too long
		if seed%2 == 0 {
			e.DMA = 1 + int64(seed%7)
		}
		if seed%5 == 0 && e.IOBus.Bandwidth > 0 {
			e.IOBus.Bandwidth = units.Rate(1 + int64(seed%9))
		}
		if seed%3 == 0 {
			e.Link.Latency += units.Time(int64(seed) << (seed % 32))
			e.HostLink.Latency += units.Time(int64(seed) << (seed / 8 % 32))
			e.Router.Latency += units.Time(int64(seed) << (seed / 4 % 32))
		}
		return e
	}
}

// compareMany compares the experiments of a few seeds, others for each commit; in long tests those of
// many, always the same.
func compareMany(t *testing.T, many, few uint64, d draw, path newNetwork) {
	t.Helper()
	for seed := range draws.Seeds(few, many) {
		compare(t, seed, d(seed), path)
	}
}

// newNetwork is fabric.New or fabric.NewGeneral.
type newNetwork func(spec fabric.Spec, blocks int) (*fabric.Network, error)

func compare(t *testing.T, seed uint64, e *experiments.Experiment, path newNetwork) {
	t.Helper()
	blocks, workers := int(seed%4)+1, int(seed/4%4)+1
	text := disagreement(e, blocks, workers, path)
	if text == "" {
		return
	}
	small := experiments.Shrink(e, func(e *experiments.Experiment) bool {
		return disagreement(e, blocks, workers, path) != ""
	})
	t.Fatalf(
		"seed %d, %d blocks, %d workers: %s\nshrunk: %s\n%v",
		seed, blocks, workers, text, disagreement(small, blocks, workers, path), small,
	)
}

// TestBlocksAgree runs experiments with all numbers of blocks up to five: the outcome must be that of the
// oracle.
func TestBlocksAgree(t *testing.T) { blocksAgree(t, experiments.Draw) }

func blocksAgree(t *testing.T, d draw) {
	for seed := range draws.Seeds(20, 400) {
		e := d(1_000_000 + seed)
		want, err := experiments.RunOracle(e)
		if err != nil {
			continue // it cannot be run at all
		}
		for blocks := 1; blocks <= 5; blocks++ {
			workers := 1 + int(seed+uint64(blocks))%2
			got, err := simulate(e, blocks, workers, fabric.New)
			if err != nil {
				t.Fatalf("seed %d, %d blocks: %v", seed, blocks, err)
			}
			if text := experiments.Diff(e, want, got); text != "" {
				t.Fatalf("seed %d, %d blocks, %d workers: %s", seed, blocks, workers, text)
			}
		}
	}
}

// disagreement runs an experiment on both and describes how they differ; ""
// if they agree or the experiment cannot be run at all.
func disagreement(e *experiments.Experiment, blocks, workers int, path newNetwork) string {
	want, err := experiments.RunOracle(e)
	if err != nil {
		return ""
	}
	got, err := simulate(e, blocks, workers, path)
	if err != nil {
		return err.Error()
	}
	return experiments.Diff(e, want, got)
}

// simulate runs an experiment on the engine.
func simulate(e *experiments.Experiment, blocks, workers int, path newNetwork) (*experiments.Outcome, error) {
	return simulateBlocks(e, blocks, workers, path, (*fabric.Network).EngineBlocks)
}

// simulateBlocks is simulate with the blocks that a function makes of those of the network.
func simulateBlocks(
	e *experiments.Experiment, blocks, workers int, path newNetwork, of func(*fabric.Network) []engine.Block,
) (*experiments.Outcome, error) {
	spec, err := e.Spec()
	if err != nil {
		return nil, err
	}
	network, err := path(spec, blocks)
	if err != nil {
		return nil, err
	}
	defer network.Close()
	outcome := experiments.NewOutcome(e)
	switch parts := make([]causes.Parts, len(e.Messages)); {
	case network.Divides() && network.General():
		outcome.AtStarts = parts
	case network.Divides():
		outcome.Parts = parts
	}
	for _, b := range network.Blocks() {
		script := experiments.NewScript(e, b.Hosts(), outcome)
		b.SetEndpoint(script)
		script.Start(b)
	}
	if _, err := engine.Run(of(network), workers, new(atomic.Bool)); err != nil {
		return nil, describe(err)
	}
	network.EndObservation(fabric.Forever)
	if d := network.Deadlock(); d != nil {
		outcome.Stuck = true
		if len(d.Cycle) == 0 && !e.Doors.StayDown() {
			return nil, fmt.Errorf("a deadlock without a cycle: %w", d)
		}
	}
	if err := network.Verify(); err != nil {
		return nil, err
	}
	observe(network, spec, outcome)
	return outcome, nil
}

// describe adds the stack of a panic.
func describe(err error) error {
	if fault, ok := err.(*engine.Fault); ok {
		return fmt.Errorf("%w\n%s", err, fault.Stack)
	}
	return err
}

// observe notes what the network has counted.
func observe(network *fabric.Network, spec fabric.Spec, outcome *experiments.Outcome) {
	for p := range spec.Graph.Ports {
		outcome.Ports = append(outcome.Ports, traffic(network.Port(p)))
	}
	for n := range spec.Graph.NICPort {
		outcome.NICs = append(outcome.NICs, traffic(network.Sent(n)))
	}
	totals := network.Totals()
	outcome.Packets = int64(totals.Packets)
	outcome.Hops = int64(totals.Hops)
	outcome.Retried, outcome.Rerouted = int64(totals.Retried), int64(totals.Rerouted)
	outcome.Lost, outcome.Repeated = int64(totals.Lost), int64(totals.Repeated)
	outcome.Marked, outcome.Notified = int64(totals.Marked), int64(totals.Notified)
	outcome.Refused = totals.Refused
	outcome.Delivered = int64(totals.Bytes)
	if !outcome.Stuck {
		outcome.Latency = totals.Latency
	}
}

func traffic(u fabric.PortUse) oracle.Traffic {
	return oracle.Traffic{Packets: int64(u.Packets), Bytes: int64(u.Bytes)}
}
