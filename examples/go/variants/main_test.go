package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"fabricast"
	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/topology"
)

// variant holds the custom models of a test, in addition to the network.
type variant struct {
	arbiter *fabric.ArbiterKind
	flow    *fabric.FlowControl
}

func parsed(t *testing.T, text string, v variant) *fabricast.Experiment {
	t.Helper()
	e, err := fabricast.Parse("star.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	if v.arbiter != nil {
		e.Network.Router.Arbiter, e.Network.Router.OwnArbiter = "", v.arbiter
	}
	e.Network.Router.FlowControl = v.flow
	return e
}

// outcome returns a run's result with the given number of workers, and a text of it without the
// parts that depend on the machine.
func outcome(t *testing.T, e *fabricast.Experiment, workers int) (*fabricast.Result, string) {
	t.Helper()
	r, err := e.Run(context.Background(), fabricast.Workers(workers))
	if err != nil {
		t.Fatal(err)
	}
	plain := *r
	plain.Workers, plain.Balance, plain.Windows, plain.Host = 0, 0, 0, fabricast.Host{}
	plain.Streams = nil
	text, err := json.Marshal(&plain)
	if err != nil {
		t.Fatal(err)
	}
	return r, string(text)
}

// TestVariantsRun checks that with each combination of variants, a run passes the deadlock check
// and ends with the same result for any number of workers, and that every variant has an effect.
func TestVariantsRun(t *testing.T) {
	hashes := map[string]string{}
	for name, v := range map[string]variant{
		"none": {}, "arbiter": {arbiter: largest}, "flow control": {flow: alone},
		"both": {largest, alone},
	} {
		for _, load := range []string{
			"workload: {program: alltoall, algorithm: simple-spread, size: 3000B}",
			"traffic: {load: 80%, sizes: [{size: 16B, share: 50%}, {size: 256B, share: 50%}], " +
				"measure: {longest: 1us, bin: 100ns}}",
		} {
			e := parsed(t, strings.Replace(described, "workload: ", "# ", 1)+load, v)
			preview, err := e.Preview()
			if err != nil || preview.Routing != "by-middle" || preview.Deadlock != "free of deadlock" {
				t.Fatalf("%+v, %v", preview, err)
			}
			r, first := outcome(t, e, 1)
			for workers := 2; workers <= 4; workers++ {
				if _, other := outcome(t, e, workers); other != first {
					t.Errorf("%s: another result with %d workers:\n%s\n%s", name, workers, first, other)
				}
			}
			if r.Traffic == nil {
				continue // all packets have equal size, so the arbiter changes nothing
			}
			if before, ok := hashes[r.Hash]; ok {
				t.Errorf("%s has the result of %s", name, before)
			}
			hashes[r.Hash] = name
		}
	}
}

// TestVariantsFail checks that options of variants are validated like those of built-in models.
func TestVariantsFail(t *testing.T) {
	f := func(network, want string) {
		t.Helper()
		e, err := fabricast.Parse("star.yaml", "network: {"+network+"}\nworkload: {program: barrier}")
		if err == nil {
			_, err = e.Preview()
		}
		var wrong *fabricast.ConfigError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nexpected %s", err, want)
		}
	}
	f("topology: {kind: star, arms: 1}", "1:40: network.topology.arms: found 1, expected a number from 2")
	f("topology: {kind: star, arms: many}", "network.topology.arms: found many, expected a whole number")
	f("topology: {kind: star}", "network.topology.arms: found nothing, expected a number from 2 to 1000")
	f("topology: {kind: star, legs: 3}", `unknown field "legs"`)
	f(
		"topology: {kind: star, arms: 3, dims: [2]}",
		"a field that star does not have, expected one of arms, hosts",
	)
	f("topology: {kind: torus, dims: [4], arms: 3}", "arms: found a field that torus does not have")
	f("topology: {kind: stars, arms: 3}", "did you mean star?")
	star := "topology: {kind: star, arms: 3}, routing: "
	f(
		star+"{algorithm: by-middle, lane: fast}",
		"network.routing.lane: found fast, expected source or destination",
	)
	f(star+"{algorithm: by-middle, tie: up}", "an option that by-middle does not have, expected lane")
	f(star+"nca", "nca on star, expected a network that is fat-tree")
	f("topology: {dims: [4]}, routing: by-middle", "by-middle on torus, expected a network that is star")
}

// TestVariantsAreWritten checks that a resolved experiment is unchanged when written as YAML and
// parsed.
func TestVariantsAreWritten(t *testing.T) {
	e := parsed(t, described, variant{})
	text, err := e.YAML()
	if err != nil || !bytes.Contains(text, []byte("arms: 4")) ||
		!bytes.Contains(text, []byte("lane: destination")) {
		t.Fatalf("%v\n%s", err, text)
	}
	again, err := parsed(t, string(text), variant{}).YAML()
	if err != nil || !bytes.Equal(text, again) {
		t.Errorf("%v\n%s\n%s", err, text, again)
	}
	if e, err = fabricast.Parse("star.yaml", string(text), "network.topology.arms=5"); err != nil {
		t.Fatal(err)
	}
	if r, _ := outcome(t, e, 1); r.Ranks != 8 {
		t.Errorf("%d ranks", r.Ranks)
	}
}

// TestVariantsJoin checks that a custom topology can be part of a hierarchy, and that generic
// algorithms route it.
func TestVariantsJoin(t *testing.T) {
	for _, topology := range []string{
		"{kind: hierarchy, block: {kind: star, arms: 3}, outer: {kind: torus, dims: [3]}}",
		"{kind: hierarchy, block: {kind: fully-connected, routers: 2}, outer: {kind: star, arms: 3, hosts: 1}}",
	} {
		for _, algorithm := range []string{"shortest", "up-down", "minimal"} {
			text := fmt.Sprintf(
				"network: {topology: %s, routing: %s}\nworkload: {program: alltoall, size: 100B}",
				topology, algorithm,
			)
			e := parsed(t, text, variant{largest, alone})
			_, first := outcome(t, e, 1)
			if _, other := outcome(t, e, 3); other != first {
				t.Errorf("%s: another result with 3 workers", text)
			}
		}
	}
}

// wrongWay sends packets from the middle into wrong arms, so that they never arrive.
type wrongWay struct{ byMiddle }

func (w wrongWay) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	if port, vc, next = w.byMiddle.Next(router, header); router == 0 {
		port = (port + 1) % 3
	}
	return port, vc, next
}

// TestVariantsAreChecked checks that a custom algorithm is refused if its packets never arrive.
func TestVariantsAreChecked(t *testing.T) {
	e := parsed(t, "network: {topology: {kind: star, arms: 3}}\nworkload: {program: barrier}", variant{})
	e.Network.Routing = routing.Own(func(t topology.Topology, vcs int) (routing.Algorithm, error) {
		return wrongWay{byMiddle{t.Graph(), vcs, ""}}, nil
	})
	var wrong *fabricast.ConfigError
	if _, err := e.Run(context.Background()); !errors.As(err, &wrong) ||
		!strings.Contains(err.Error(), "never arrive") {
		t.Error(err)
	}
}
