package ways

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/draws"
	"fabricast/internal/plan"
	"fabricast/internal/producttest"
	"fabricast/internal/whatif"
	"fabricast/internal/why"
	"fabricast/record"
)

// TestDerivatives compares derivatives with runs in which a parameter is 0.01 %, 0.1 % or 1 % greater or
// less: where the same path is critical, and its messages meet no others in either run, the predicted
// time is exact.
func TestDerivatives(t *testing.T) {
	t.Parallel()
	experiments, compared, equal := 0, 0, 0
	for seed := range draws.Seeds(30, 300) {
		d := rand.New(rand.NewPCG(seed, 37))
		text := drawQuiet(d)
		x := refer(t, text, false)
		if x == nil {
			continue
		}
		experiments++
		c, e := comparisonOf(t, x)
		if c == nil {
			continue
		}
		list := c.path.Derivatives
		for range min(3, len(list)) {
			by := []int64{10_000, 1000, 100}[d.IntN(3)] * int64(1-2*d.IntN(2))
			same, err := c.check(e, list[d.IntN(len(list))].Parameter, by, filepath.Join(t.TempDir(), "changed"))
			if err != nil {
				t.Errorf("%v\n%s", err, text)
			}
			if compared++; same {
				equal++
			}
		}
	}
	t.Logf("%d experiments, %d changed parameters, %d with the same path", experiments, compared, equal)
	if experiments >= 8 && (compared < experiments || equal < experiments/2) {
		t.Errorf("too few are compared: %d experiments, %d changed parameters, %d with the same path",
			experiments, compared, equal)
	}
}

// drawQuiet describes an experiment in which few messages meet others.
func drawQuiet(d *rand.Rand) string {
	one := producttest.One
	if d.IntN(5) == 0 {
		return drawIdeal(d)
	}
	text := "network: {topology: " + one(
		d, "{kind: torus, dims: [6]}", "{kind: mesh, dims: [3, 3]}", "{kind: fat-tree, radix: 4, levels: 2, hosts: 2}",
		"{kind: dragonfly, p: 2, a: 3, h: 1}", "{kind: fully-connected, routers: 5, hosts: 2}",
	)
	text += fmt.Sprintf(", link: {bandwidth: %dMB/s, latency: %dns}", 1000+d.IntN(9000), d.IntN(500))
	if d.IntN(3) == 0 {
		text += fmt.Sprintf(", host_link: {bandwidth: %dMB/s, latency: %dns}", 1000+d.IntN(9000), d.IntN(500))
	}
	text += fmt.Sprintf(", router: {latency: %dns, buffer: 64KiB}}\n", 1+d.IntN(300))
	text += fmt.Sprintf("node: {overhead: %dns, dma: %dMB/s, copies: %s", 1+d.IntN(500), 1000+d.IntN(20_000), one(d, "zero", "one"))
	if d.IntN(2) == 0 {
		text += fmt.Sprintf(", protocol: {eager: %dB, rendezvous: %s, setup: %dns}", d.IntN(2000), one(d, "read", "write"), d.IntN(99))
	}
	text += fmt.Sprintf("}\nseed: %d\nranks: %d\n", d.IntN(1000), 2+d.IntN(5))
	text += one(
		d, "workload: {program: pingpong, size: SIZE, iterations: 3}", "workload: {program: barrier, iterations: 2}",
		"workload: {program: broadcast, size: SIZE}", "workload: {program: ring, size: SIZE, iterations: 2}",
		"workload: {program: allreduce, size: SIZE, algorithm: recursive-doubling}",
		"workload: {program: reduce, size: SIZE}",
	)
	return strings.ReplaceAll(text, "SIZE", fmt.Sprintf("%dB", 1+d.IntN(20_000)))
}

// drawIdeal describes an experiment on a network that is nothing but the parameters of a model.
func drawIdeal(d *rand.Rand) string {
	one, time := producttest.One, func(most int) int { return 1 + d.IntN(most) }
	logP := fmt.Sprintf("L: %dns, o: %dns, g: %dns", time(2000), time(900), time(900))
	perByte := fmt.Sprintf("%dps", time(900))
	text := "network: {model: " + one(d,
		fmt.Sprintf("alpha-beta, parameters: {alpha: %dns, beta: %s}", time(2000), perByte),
		"logp, parameters: {"+logP+"}", "loggp, parameters: {"+logP+", G: "+perByte+"}",
		"loggops, parameters: {"+logP+", G: "+perByte+fmt.Sprintf(", O: %dps, S: 1TiB}", time(900)),
	) + fmt.Sprintf("}\nseed: %d\nranks: %d\n", d.IntN(1000), 2+d.IntN(5)) + one(
		d, "workload: {program: pingpong, size: SIZE, iterations: 3}", "workload: {program: barrier, iterations: 2}",
		"workload: {program: broadcast, size: SIZE}", "workload: {program: ring, size: SIZE, iterations: 2}",
		"workload: {program: allreduce, size: SIZE, algorithm: recursive-doubling}", "workload: {program: reduce, size: SIZE}",
	)
	return strings.ReplaceAll(text, "SIZE", fmt.Sprintf("%dB", time(20_000)))
}

// comparison is a run with its critical path.
type comparison struct {
	path *why.Path
	plan *plan.Plan
}

// comparisonOf runs an experiment with causes, and computes its derivatives; nil after an error.
func comparisonOf(t *testing.T, x *drawn) (*comparison, *fabricast.Experiment) {
	t.Helper()
	e, err := x.parse("")
	if err != nil {
		t.Fatal(err)
	}
	path, err := pathOf(e, filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Errorf("%v\n%s", err, x.text)
		return nil, nil
	}
	built, err := whatif.PlanOf(experiment.Experiment(*e))
	if err == nil {
		err = whatif.Derive(path, built)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, x.text)
		return nil, nil
	}
	return &comparison{path, built}, e
}

// pathOf runs an experiment, and returns its critical path.
func pathOf(e *fabricast.Experiment, folder string) (*why.Path, error) {
	changed := *e
	changed.Record = experiment.Recording{}
	changed.Record.Set("causes")
	if _, err := changed.Run(context.Background(), fabricast.Workers(1), fabricast.Record(folder)); err != nil {
		return nil, err
	}
	r, err := record.Open(folder)
	if err != nil {
		return nil, err
	}
	return why.Find(r)
}

// check changes a parameter by a share of it, and compares the predicted time with that of a run. same is
// false if another path is critical, or messages meet.
func (c *comparison) check(e *fabricast.Experiment, parameter string, share int64, folder string) (same bool, err error) {
	other := c.plan.Experiment.Experiment
	whatif.Change(c.plan, &other, parameter, func(n int64) int64 { return max(0, n+n/share) })
	growth, exact, err := whatif.Growth(c.path, c.plan, &other)
	if err != nil {
		return false, err
	}
	run := *e
	run.Network, run.Node = other.Network, other.Node
	path, err := pathOf(&run, folder)
	if err != nil {
		return false, err
	}
	built, err := whatif.PlanOf(other)
	if err == nil {
		err = whatif.Derive(path, built)
	}
	if err != nil {
		return false, err
	}
	if !exact || path.Contended > 0 || !samePath(c.path, path) {
		return false, nil
	}
	if grown := path.Predicted - c.path.Predicted; grown != growth {
		return true, fmt.Errorf("%s changed by a part in %d: the time grows by %d ps, predicted was %d ps", parameter, share, grown, growth)
	}
	return true, nil
}

// samePath reports whether two paths go through the same messages and ranks.
func samePath(a, b *why.Path) bool {
	if len(a.Segments) != len(b.Segments) {
		return false
	}
	for i := range a.Segments {
		s, o := &a.Segments[i], &b.Segments[i]
		if s.Cause != o.Cause || s.Rank != o.Rank || (s.Message == nil) != (o.Message == nil) {
			return false
		}
		if m := s.Message; m != nil && (m.Source != o.Message.Source || m.Destination != o.Message.Destination ||
			m.Tag != o.Message.Tag || m.Bytes != o.Message.Bytes) {
			return false
		}
	}
	return true
}
