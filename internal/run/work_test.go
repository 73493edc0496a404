package run

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fabricast/collective"
	"fabricast/internal/predict"
	"fabricast/routing"
	"fabricast/workload"
)

// TestWorkIsForecast compares the forecast of a run's work with the actual work, for random
// experiments of all built-in programs: all messages and packets, and the packet-hops if routes do
// not depend on chance or load.
func TestWorkIsForecast(t *testing.T) {
	for i := range 150 {
		text := drawProgram(rand.New(rand.NewPCG(uint64(i), 5)))
		f, did, exact := workOf(t, text)
		f.budget = math.MaxInt32
		total, ok := f.make()
		if !ok {
			t.Errorf("nothing is forecast\n%s", text)
			continue
		}
		if total.Messages != did.Messages || total.Packets != did.Packets {
			t.Errorf(
				"forecast %g messages and %g packets, the run had %g and %g\n%s",
				total.Messages, total.Packets, did.Messages, did.Packets, text,
			)
		}
		if exact && total.Hops != did.Hops {
			t.Errorf("forecast %g hops, the run had %g\n%s", total.Hops, did.Hops, text)
		}
		const least = 1000 // with fewer packets, chance dominates
		f.total.Store(&total)
		end := f.of(did) // forecasts adaptive routes from the routes taken
		if ratio := end.Steps() / did.Steps(); did.Packets > least && (ratio < 0.8 || ratio > 1.25) ||
			f.adaptive && end != did {
			t.Errorf("forecast %+v, the run had %+v\n%s", end, did, text)
		}
	}
}

// TestWorkIsForecastFromAPart compares forecasts from some of the ranks and iterations with the
// actual work.
func TestWorkIsForecastFromAPart(t *testing.T) {
	for i := range 100 {
		text := drawProgram(rand.New(rand.NewPCG(uint64(i), 6)))
		f, did, _ := workOf(t, text)
		if f.adaptive || did.Messages < 1500 {
			continue // adaptive: see above; a run of few messages is surveyed as a whole
		}
		f.budget = int64(did.Steps()) / 4
		total, ok := f.make()
		if ratio := total.Steps() / did.Steps(); !ok || ratio < 1/1.5 || ratio > 1.5 {
			t.Errorf("forecast %g of the steps\n%s", ratio, text)
		}
	}
}

// TestNoWorkIsForecastOfOwnPrograms checks that nothing is forecast for unknown programs.
func TestNoWorkIsForecastOfOwnPrograms(t *testing.T) {
	var f *workForecast
	f.begin()
	f.end()
	if total := f.of(predict.Work{Messages: 1, Packets: 1, Hops: 1}); total.Steps() != 0 {
		t.Errorf("forecast %+v of a program of which nothing is known", total)
	}
}

// workOf runs an experiment. It returns its forecast, not yet started, the actual work, and whether
// its routes are deterministic.
func workOf(t *testing.T, text string) (f *workForecast, did predict.Work, exact bool) {
	t.Helper()
	e := resolved(t, text)
	s := settings{workers: 1}
	p, err := prepare(context.Background(), e, s)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	e = p.Experiment
	list, err := newJobs(context.Background(), s, p, false)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	sim, err := simulate(context.Background(), s, p, list)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	t.Cleanup(sim.end)
	r := sim.result()
	_, random := p.Fabric.Routing.(routing.Randomized)
	exact = p.Fabric.Adaptive == nil && !random && e.Node.NICs == 1
	return sim.forecast, predict.Work{
		Messages: float64(r.Messages), Packets: float64(r.Packets), Hops: float64(r.PacketHops),
	}, exact
}

// drawProgram draws a built-in program, all parameters that change its messages, and a network.
func drawProgram(d *rand.Rand) string {
	programs := slices.DeleteFunc(slices.Clone(workload.Programs()), func(p *workload.Program) bool {
		return !p.Loops() // nothing is known of its messages before a run
	})
	p := programs[d.IntN(len(programs))]
	network := one(
		d,
		"{topology: {kind: torus, dims: [4, 4, 3]}}",
		"{topology: {kind: mesh, dims: [5, 7]}}",
		"{topology: {kind: fat-tree, radix: 8, levels: 2}}",
		"{topology: {kind: dragonfly, p: 2, a: 4, h: 2}}",
		"{topology: {kind: torus, dims: [4, 4, 2]}, routing: {algorithm: adaptive}, router: {vcs: 3}}",
		"{topology: {kind: torus, dims: [4, 8]}, routing: {algorithm: valiant}, router: {vcs: 8}}",
	)
	if p.NeedsFile() {
		network = "{topology: {kind: torus, dims: [4, 4, 3]}}" // the recorded trace has this number of ranks
	}
	text := fmt.Sprintf("seed: %d\nnetwork: %s\n", d.IntN(1000), network)
	text += fmt.Sprintf(
		"node: {nics: %s, ranks: %s%s}\n",
		one(d, "1", "1", "2"),
		one(d, "1", "1", "2"),
		one(
			d,
			"",
			", copies: one",
			", protocol: {eager: 4B, rendezvous: write}",
			", protocol: {eager: 1KiB, rendezvous: read}",
		),
	)
	text += "workload:\n  program: " + p.Name + "\n"
	give := func(param, value string) {
		if p.Takes(param) {
			text += fmt.Sprintf("  %s: %s\n", param, value)
		}
	}
	give("size", one(d, "1B", "100B", "3KiB"))
	give("iterations", one(d, "1", "2", "7"))
	give("messages", one(d, "1", "9", "40"))
	give("window", one(d, "1", "4"))
	give("file", "workload/testdata/exchange.txt")
	give("by", one(d, workload.BySend, workload.BySend, workload.ByPut))
	kind := collective.Kind(p.Name)
	if p.Name == "stencil3d" {
		kind = collective.KindAllreduce
	}
	if p.Takes("algorithm") {
		anyRanks := collective.NamesOfRanks(kind)[:0:0]
		for _, a := range collective.OfRanks(kind) {
			if collective.Check(kind, a.Name, 7) == nil && a.Needs == collective.NeedsNothing {
				anyRanks = append(anyRanks, string(a.Name))
			}
		}
		give("algorithm", one(d, anyRanks...))
	}
	if p.Paceable() && d.IntN(4) == 0 {
		barrier := ""
		if p.Collective(workload.Params{}) != nil {
			barrier = one(d, "", ", barrier: start")
		}
		text += "  pacing: {gap: 2" + barrier + "}\n"
	}
	return text
}

// one returns one of the given values.
func one(d *rand.Rand, values ...string) string { return values[d.IntN(len(values))] }
