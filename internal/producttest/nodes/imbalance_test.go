package nodes

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/producttest"
	"fabricast/mpi"
)

// begins runs an experiment whose ranks end when they begin, and returns when.
func begins(
	t *testing.T,
	hosts int,
	i experiment.Imbalance,
	seed uint64,
) ([]fabricast.Time, *fabricast.ImbalanceResult) {
	t.Helper()
	e := producttest.Torus(hosts)
	list := make([]fabricast.Time, hosts)
	e.Program = func(r *mpi.Rank) { list[r.Rank()] = fabricast.Time(r.Now()) }
	e.Imbalance, e.Seed = i, seed
	r := producttest.Run(t, &e)
	if r.Imbalance == nil || r.SimulatedTime != slices.Max(list) {
		t.Fatalf("ended at %v: %+v", r.SimulatedTime, r.Imbalance)
	}
	return list, r.Imbalance
}

func TestDistributionsOfImbalance(t *testing.T) {
	const hosts, width = 4096, 6 * fabricast.Microsecond
	for distribution, want := range map[string]struct{ deviation, least, most fabricast.Time }{
		experiment.ImbalanceNormal:      {width / 6, 0, width},
		experiment.ImbalanceUniform:     {1732051, 0, width},
		experiment.ImbalanceExponential: {width / 2, 0, math.MaxInt64},
	} {
		list, r := begins(
			t,
			hosts,
			experiment.Imbalance{Distribution: distribution, Width: fabricast.Span{Time: width}},
			3,
		)
		if !slices.IsSorted(list) {
			t.Errorf("%s: not sorted", distribution)
		}
		if list[0] < want.least || list[hosts-1] > want.most || r.First != list[0] ||
			r.Last != list[hosts-1] {
			t.Errorf("%s: from %v to %v", distribution, list[0], list[hosts-1])
		}
		mean, square := 0.0, 0.0
		for _, x := range list {
			mean += float64(x) / hosts
			square += math.Pow(float64(x)-float64(width)/2, 2) / hosts
		}
		sigma := float64(want.deviation)
		if math.Abs(mean-float64(width)/2) > 4*sigma/64 || r.Mean != fabricast.Time(mean) {
			t.Errorf("%s: the mean is %.0f, %v in the result", distribution, mean, r.Mean)
		}
		if deviation := math.Sqrt(square); math.Abs(deviation/sigma-1) > 0.1 {
			t.Errorf("%s: the standard deviation is %.0f, want %.0f", distribution, deviation, sigma)
		}
		random, _ := begins(
			t,
			hosts,
			experiment.Imbalance{
				Distribution: distribution,
				Width:        fabricast.Span{Time: width},
				Order:        experiment.OrderRandom,
			},
			3,
		)
		if slices.IsSorted(random) {
			t.Errorf("%s: sorted without being asked", distribution)
		}
		slices.Sort(random)
		if !slices.Equal(random, list) {
			t.Errorf("%s: sorted ranks begin at other times than unsorted ones", distribution)
		}
	}
}

// A seed is enough to draw the same times on every machine.
func TestDrawsOfImbalance(t *testing.T) {
	for distribution, want := range map[string][]fabricast.Time{
		experiment.ImbalanceNormal:      {725_605_386, 411_498_814, 490_110_464},
		experiment.ImbalanceUniform:     {296_171_483, 715_384_452, 558_411_747},
		experiment.ImbalanceExponential: {608_408_328, 167_467_593, 291_329_345},
	} {
		i := experiment.Imbalance{
			Distribution: distribution,
			Width:        fabricast.Span{Time: fabricast.Millisecond},
			Order:        experiment.OrderRandom,
		}
		if got, _ := begins(t, 3, i, 7); !slices.Equal(got, want) {
			t.Errorf("%s: %d, want %d", distribution, got, want)
		}
	}
}

// A width in percent is one of the time without imbalance and noise.
func TestImbalanceOfTheBalancedTime(t *testing.T) {
	e := producttest.Torus(4, 4)
	e.Workload = experiment.Workload{Program: "alltoall", Algorithm: "ring", Size: 1000}
	balanced := producttest.Run(t, &e)
	e.Imbalance.Width.Share = 50 * fabricast.Percent
	e.Noise = experiment.Noise{Every: 20 * fabricast.Microsecond, Lose: 2 * fabricast.Microsecond}
	late := producttest.Run(t, &e)
	i := late.Imbalance
	if i.Balanced != balanced.SimulatedTime || i.Width != i.Balanced/2 ||
		i.Slowdown != float64(late.SimulatedTime)/float64(i.Balanced) ||
		i.Slowdown < 1 {
		t.Errorf("balanced %v, then %+v", balanced.SimulatedTime, i)
	}
	if r := producttest.Run(t, &e, fabricast.Workers(3)); r.Hash != late.Hash || *r.Imbalance != *i {
		t.Errorf("with three workers %+v, not %+v", r.Imbalance, i)
	}
	e.Imbalance.Of = balanced.SimulatedTime
	if r := producttest.Run(t, &e); r.Hash != late.Hash || *r.Imbalance != *i {
		t.Errorf("with the time given %+v, want %+v", r.Imbalance, i)
	}
	if e.Baseline() != nil {
		t.Error("there is a baseline where its time is given")
	}
}

// What has no effect is no part of the experiment.
func TestNoImbalanceAndNoNoise(t *testing.T) {
	e := producttest.Torus(4, 4)
	e.Workload = experiment.Workload{Program: "alltoall", Size: 1000}
	plain := e
	e.Imbalance = experiment.Imbalance{Distribution: experiment.ImbalanceUniform}
	e.Noise = experiment.Noise{Every: fabricast.Millisecond}
	for _, x := range []*fabricast.Experiment{&e, &plain} {
		if err := x.Resolve(); err != nil {
			t.Fatal(err)
		}
	}
	a, errA := e.Fingerprint()
	b, errB := plain.Fingerprint()
	if a != b || errA != nil || errB != nil {
		t.Errorf("fingerprints %s (%v) and %s (%v)", a, errA, b, errB)
	}
}

func TestImbalanceFromAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "times.txt")
	if err := os.WriteFile(file, []byte("# when\n3us\n0 # first\n\n500ps\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	got, r := begins(t, 3, experiment.Imbalance{File: file, Of: fabricast.Microsecond}, 1)
	if want := []fabricast.Time{3_000_000, 0, 500}; !slices.Equal(got, want) {
		t.Errorf("ranks begin at %d, want %d", got, want)
	}
	if r.Slowdown != 3 || r.Last != 3_000_000 || r.Mean != 3_000_500/3 {
		t.Errorf("%+v", r)
	}
}

func TestNoiseNeedsBothTimes(t *testing.T) {
	text := "network: {topology: {dims: [2]}}\nworkload: {program: barrier}\n"
	for noise, want := range map[string]string{
		"{}":                     "noise.lose: found nothing, expected a time",
		"{every: 1ms}":           "noise.lose: found nothing, expected a time",
		"{lose: 0}":              "noise.every: found nothing, expected a time",
		"{phase: aligned}":       "noise.every: found nothing, expected a time",
		"{every: 0, lose: 1us}":  "noise.every: found 0ps, expected a time from 1ns",
		"{every: 1us, lose: 0}":  "",
		"{every: 1us, lose: 1s}": "noise.lose: found 1s, expected a time of at most half",
	} {
		e, err := fabricast.Parse("x.yaml", text+"noise: "+noise+"\n")
		if err == nil {
			err = e.Resolve()
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("noise %s: %v, want %q", noise, err, want)
		}
	}
}

// An experiment with imbalance and noise repeats, whoever simulates it and wherever it is written.
func TestDisturbedRunsRepeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := producttest.Torus(3, 4)
		e.Workload = experiment.Workload{
			Program: "alltoall", Size: fabricast.Bytes(rapid.IntRange(1, 3000).Draw(t, "size")),
			Algorithm: rapid.SampledFrom([]string{"ring", "simple-spread", "bruck"}).Draw(t, "algorithm"),
		}
		e.Imbalance = experiment.Imbalance{
			Distribution: rapid.SampledFrom([]string{"normal", "uniform", "exponential"}).
				Draw(t, "distribution"),
			Order: rapid.SampledFrom([]string{"sorted", "random"}).Draw(t, "order"),
			Width: fabricast.Span{
				Share: fabricast.Fraction(rapid.Int64Range(1, int64(fabricast.Whole)).Draw(t, "width")),
			},
		}
		e.Noise = experiment.Noise{
			Every: 10 * fabricast.Microsecond, Lose: fabricast.Time(rapid.Int64Range(1, 5_000_000).Draw(t, "lose")),
			Distribution: rapid.SampledFrom([]string{"fixed", "exponential"}).Draw(t, "lengths"),
			Phase:        rapid.SampledFrom([]string{"random", "aligned"}).Draw(t, "phase"),
		}
		if err := e.Resolve(); err != nil {
			t.Fatal(err)
		}
		text, err := e.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := fabricast.Parse("resolved.yaml", string(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		var first *fabricast.Result
		for workers, x := range []*fabricast.Experiment{&e, again, &e} {
			r, err := x.Run(t.Context(), fabricast.Workers(workers+1))
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = r
			}
			if r.Hash != first.Hash || *r.Imbalance != *first.Imbalance {
				t.Errorf(
					"%d workers: %s, %+v; want %s, %+v",
					workers+1, r.Hash, r.Imbalance, first.Hash, first.Imbalance,
				)
			}
		}
	})
}
