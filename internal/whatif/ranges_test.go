package whatif

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/draws"
	"fabricast/internal/plan"
	"fabricast/internal/producttest"
	"fabricast/internal/why"
	"fabricast/record"
)

// TestRanges runs experiments again with values of parameters in the ranges that their derivatives
// state, at the ends of these above all: the prediction has to be that of the run, whatever happens
// in it.
func TestRanges(t *testing.T) {
	t.Parallel()
	experiments, ranges, missing := 0, 0, map[string]int{}
	for seed := range draws.Seeds(16, 4000) {
		d := rand.New(rand.NewPCG(seed, 41))
		text := drawSparse(d)
		x, err := explained(t, text)
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		experiments++
		missing[x.path.Unranged]++
		for i := range x.path.Derivatives {
			f := &x.path.Derivatives[i]
			if f.Range == nil || d.IntN(2) == 0 {
				continue
			}
			ranges++
			from, to := f.Range.From, f.Range.To
			value := []int64{from, to, from + d.Int64N(1+to-from)}[d.IntN(3)]
			if err := x.holds(f, value, d.IntN(2) == 0); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		}
	}
	t.Logf("%d experiments, %d values; reasons without ranges: %v", experiments, ranges, missing)
	if experiments >= 200 && ranges < experiments/2 {
		t.Errorf("too few are compared: %d experiments, %d values", experiments, ranges)
	}
}

// TestUnrangedRoutes: nothing is told where the routes of messages, and so the links they share,
// are not known.
func TestUnrangedRoutes(t *testing.T) {
	for up, ranged := range map[string]bool{"destination": true, "random": false, "adaptive": false} {
		x, err := explained(t, "network: {topology: {kind: fat-tree, radix: 4, levels: 2, hosts: 2}, "+
			"routing: {algorithm: nca, up: "+up+"}}\nranks: 2\n"+
			"workload: {program: pingpong, size: 200B}\n")
		if err != nil {
			t.Fatal(err)
		}
		with := slices.ContainsFunc(x.path.Derivatives, func(d why.Derivative) bool {
			return d.Range != nil
		})
		if with != ranged || (x.path.Unranged == "") != ranged {
			t.Errorf("%s: ranges: %t, missing because %q", up, with, x.path.Unranged)
		}
	}
}

// drawSparse describes an experiment in which few messages meet others.
func drawSparse(d *rand.Rand) string {
	one := producttest.One
	text := "network: {topology: " + one(
		d, "{kind: torus, dims: [6]}", "{kind: mesh, dims: [3, 3]}",
		"{kind: fat-tree, radix: 4, levels: 2, hosts: 2}",
		"{kind: dragonfly, p: 2, a: 3, h: 1}", "{kind: fully-connected, routers: 5, hosts: 2}",
	)
	text += fmt.Sprintf(", link: {bandwidth: %dMB/s, latency: %dns}", 1000+d.IntN(9000), d.IntN(500))
	if d.IntN(3) == 0 {
		text += fmt.Sprintf(", host_link: {bandwidth: %dMB/s, latency: %dns}", 1000+d.IntN(9000),
			d.IntN(500))
	}
	text += fmt.Sprintf(", router: {latency: %dns%s}}\n", 1+d.IntN(300), one(d, "", ", buffer: 64KiB"))
	text += fmt.Sprintf("node: {overhead: %dns, dma: %dMB/s, copies: %s",
		1+d.IntN(500), 1000+d.IntN(20_000), one(d, "zero", "one"))
	if d.IntN(3) == 0 {
		text += fmt.Sprintf(", protocol: {eager: %dB, rendezvous: %s, setup: %dns}",
			d.IntN(2000), one(d, "read", "write"), d.IntN(99))
	}
	text += fmt.Sprintf("}\nseed: %d\nranks: %d\n", d.IntN(1000), 2+d.IntN(5))
	text += one(
		d, "workload: {program: pingpong, size: SIZE, iterations: 3}\n",
		"workload: {program: barrier, iterations: 2}\n",
		"workload: {program: broadcast, size: SIZE}\n",
		"workload: {program: ring, size: SIZE, iterations: 2}\n",
		"workload: {program: allreduce, size: SIZE, algorithm: recursive-doubling}\n",
		"workload: {program: reduce, size: SIZE}\n",
	)
	if d.IntN(2) == 0 {
		text += fmt.Sprintf("imbalance: {width: %dns, distribution: uniform, order: random}\n",
			1+d.IntN(20_000))
	}
	return strings.ReplaceAll(text, "SIZE",
		fmt.Sprintf("%dB", 1+d.IntN([]int{200, 20_000}[d.IntN(2)])))
}

// explainedRun is a run whose critical path is known.
type explainedRun struct {
	text       string
	experiment *fabricast.Experiment
	plan       *plan.Plan
	path       *why.Path
}

func explained(t *testing.T, text string) (*explainedRun, error) {
	x := &explainedRun{text: text}
	var err error
	if x.experiment, err = fabricast.Parse("drawn.yaml", text); err != nil {
		return nil, err
	}
	recorded := *x.experiment
	recorded.Record.Set("causes")
	folder := filepath.Join(t.TempDir(), "run")
	if _, err := recorded.Run(context.Background(), fabricast.Workers(1),
		fabricast.Record(folder)); err != nil {
		return nil, err
	}
	r, err := record.Open(folder)
	if err != nil {
		return nil, err
	}
	if x.path, err = why.Find(r); err != nil {
		return nil, err
	}
	e := (*experiment.Experiment)(x.experiment)
	if x.plan, err = PlanOf(*e); err != nil {
		return nil, err
	}
	if err := Derive(x.path, x.plan); err != nil {
		return nil, err
	}
	return x, Ranges(x.path, x.plan, e, r)
}

// holds compares the predicted effect of a value with a run. follows: the experiment is read again,
// so that all defaults follow the value.
func (x *explainedRun) holds(f *why.Derivative, value int64, follows bool) error {
	run := *x.experiment
	if follows {
		unit := "ps"
		if f.Range.Unit != unit {
			unit = "B/s"
		}
		again, err := fabricast.Parse("again.yaml", x.text,
			fmt.Sprintf("%s=%d%s", f.Parameter, value, unit))
		if err != nil {
			return err
		}
		run = *again
	} else {
		other := x.plan.Experiment.Experiment
		Change(x.plan, &other, f.Parameter, func(int64) int64 { return value })
		run.Network, run.Node = other.Network, other.Node
	}
	growth, exact, err := Growth(x.path, x.plan, (*experiment.Experiment)(&run))
	if err != nil {
		return err
	}
	result, err := run.Run(context.Background(), fabricast.Workers(1))
	if err != nil {
		return err
	}
	if grown := int64(result.SimulatedTime) - x.path.Predicted; grown != growth || !exact {
		return fmt.Errorf("%s=%d, in the range from %d to %d: the time grows by %d ps, predicted was %d ps",
			f.Parameter, value, f.Range.From, f.Range.To, grown, growth)
	}
	return nil
}
