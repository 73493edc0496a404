package fabricast_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fabricast"
	"fabricast/topology"
)

// clockwise is a user's algorithm: upward round a ring of the given length, with
// a second virtual channel from router 0 on if there are two. The header counts hops.
type clockwise struct{ length, vcs int32 }

func (clockwise) Name() string { return "clockwise" }

func (c clockwise) Start(src, dst int32) (uint64, uint8) {
	return uint64((dst - src + c.length) % c.length), 0
}

func (c clockwise) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	hops, past := header&0xff, header>>8
	if hops == 0 {
		return 2, 0, 0
	}
	vc = uint16(min(int32(past), c.vcs-1))
	if router == c.length-1 {
		past = 1
	}
	return 0, vc, past<<8 | (hops - 1)
}

// TestOwnRouting: an algorithm in Go runs like any other, after the same check for deadlock.
func TestOwnRouting(t *testing.T) {
	e := fabricast.Experiment{
		Network: fabricast.Network{
			Topology: fabricast.Topology{Dims: []int{5}},
			Routing: fabricast.Routing{Custom: func(_ topology.Topology, vcs int) (any, error) {
				return clockwise{5, int32(vcs)}, nil
			}},
			Router: fabricast.Router{VCs: 2},
		},
		Workload: fabricast.Workload{Program: "alltoall", Size: 100},
	}
	if _, err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	preview, err := e.Preview()
	if err != nil || preview.Routing != "clockwise" || preview.Deadlock != "free of deadlock" {
		t.Errorf("%+v, %v", preview, err)
	}
	e.Network.Router.VCs = 1
	_, err = e.Run(context.Background())
	var wrong *fabricast.ConfigError
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "network.router.vcs: found clockwise with 1 virtual channel, so that") ||
		!strings.Contains(err.Error(), "2 virtual channels would avoid it; the circle: router (0) port +x VC 0 -> router (1) port +x VC 0") {
		t.Error(err)
	}
}

// TestRoutingDefaults: an algorithm that needs nothing said of it gets its options.
func TestRoutingDefaults(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		e, err := fabricast.Parse("test.yaml", text+"\nworkload: {program: barrier}\n")
		if err != nil {
			t.Error(err)
			return
		}
		out, err := e.YAML()
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(string(out), w) {
				t.Errorf("%s\nresolved to\n%s\nwithout %q", text, out, w)
			}
		}
	}
	f("network: {topology: {kind: fat-tree, radix: 4, levels: 2}}", "algorithm: nca", "up: destination")
	f("network: {topology: {dims: [4]}, routing: shortest}", "classes: auto")
	f("network: {topology: {dims: [4]}, routing: up-down}", "root: middle")
	f("network: {topology: {dims: [4]}, routing: source}", "of: minimal")
	f("network: {topology: {dims: [4]}, routing: ugal-g}", "interval: 1us")
	f("network: {topology: {dims: [4]}, routing: {algorithm: zone, zones: [x]}}", "zones: [x]")
}
