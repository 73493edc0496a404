package fabricast_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/producttest"
)

// TestTrafficInGo demands the same of an experiment made in Go as of its YAML form.
func TestTrafficInGo(t *testing.T) {
	e := producttest.Torus(4, 4)
	e.Traffic = experiment.Traffic{
		Load: 30 * fabricast.Percent, Pattern: experiment.Pattern{Name: "hot-spot", Hosts: []int{3}, Share: 5 * fabricast.Percent},
		Sizes: []experiment.SizeShare{
			{Size: 64, Share: 50 * fabricast.Percent},
			{From: 1, To: 1000, Share: 50 * fabricast.Percent},
		},
		Arrivals: experiment.Arrivals{Process: "bursts", Burst: 3},
	}
	want := producttest.Run(t, &e)
	if want.Traffic == nil || !want.Traffic.Stable || want.Ranks != 0 || want.Links.MeanUtilization <= 0 {
		t.Fatalf("%+v", want)
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
	if r := producttest.Run(t, again, fabricast.Workers(1)); r.Hash != want.Hash ||
		r.Traffic.Accepted != want.Traffic.Accepted {
		t.Errorf("results %s and %s", r.Hash, want.Hash)
	}
}

// TestTrafficKeys holds the JSON of traffic to the keys that others rely on.
func TestTrafficKeys(t *testing.T) {
	e := producttest.Torus(4)
	e.Traffic.Load = 10 * fabricast.Percent
	text, err := producttest.Run(t, &e).JSON()
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Traffic map[string]any }
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"pattern", "offered", "accepted.mean", "accepted.half", "accepted.min", "accepted.max", "stable", "converged", "growth",
		"warm_up_ps", "measured_ps", "measured_messages", "latency_ps.mean", "latency_ps.p99", "network_latency_ps", "hops",
	} {
		outer, inner, nested := strings.Cut(path, ".")
		value := got.Traffic[outer]
		if object, ok := value.(map[string]any); nested && ok {
			value = object[inner]
		}
		if value == nil {
			t.Errorf("the result has no traffic.%s:\n%s", path, text)
		}
	}
}

// Ranks have no part in traffic, so their number is refused and not passed over.
func TestTrafficHasNoRanks(t *testing.T) {
	for _, field := range []string{"ranks: 4", "node: {ranks: 2}", "mapping: random"} {
		e, err := fabricast.Parse(
			"x.yaml",
			"network: {topology: {dims: [4]}}\ntraffic: {load: 5%}\n"+field+"\n",
		)
		if err == nil {
			err = e.Resolve()
		}
		var bad *fabricast.ConfigError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), "x.yaml:3:") ||
			!strings.Contains(err.Error(), "traffic comes from all") {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestTrafficInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	e := producttest.Torus(8, 8)
	e.Traffic.Load = 10 * fabricast.Percent
	_, err := e.Run(ctx)
	var interrupted *fabricast.InterruptedError
	if !errors.As(err, &interrupted) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
