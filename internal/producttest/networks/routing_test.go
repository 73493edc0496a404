package networks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/routing"
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
		Network: experiment.Network{
			Topology: topology.TorusSpec{Dims: []int{5}},
			Routing: routing.Own(func(_ topology.Topology, vcs int) (routing.Algorithm, error) {
				return clockwise{5, int32(vcs)}, nil
			}),
			Router: experiment.Router{VCs: 2},
		},
		Workload: experiment.Workload{Program: "alltoall", Size: 100},
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
	if !errors.As(err, &wrong) ||
		!strings.Contains(err.Error(), "network.router.vcs: found clockwise with 1 virtual channel, so that") ||
		!strings.Contains(err.Error(), "2 virtual channels would avoid it; the cycle: router (0) port +x VC 0 -> router (1) port +x VC 0") {
		t.Error(err)
	}
}

// TestOwnRoutingRefused: what is wrong with an algorithm in Go is told with its name, or as one's
// own.
func TestOwnRoutingRefused(t *testing.T) {
	f := func(want string, own func(topology.Topology, int) (routing.Algorithm, error)) {
		t.Helper()
		e := fabricast.Experiment{
			Network: experiment.Network{
				Topology: topology.TorusSpec{Dims: []int{5}},
				Routing:  routing.Own(own),
			},
			Workload: experiment.Workload{Program: "barrier"},
		}
		var wrong *fabricast.ConfigError
		if _, err := e.Preview(); !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nexpected %s", err, want)
		}
	}
	always := func(port, vc uint16) func(topology.Topology, int) (routing.Algorithm, error) {
		return func(topology.Topology, int) (routing.Algorithm, error) { return stubborn{port, vc}, nil }
	}
	const routes = "network.routing: found stubborn, expected routes that lead to every host (routing fails at router "
	f(
		routes+"(0) for packets to NIC 0: packets are sent to a port that the router does not have",
		always(7, 0),
	)
	f(
		routes+"(0) for packets to NIC 0: packets are sent to a virtual channel that the port does not have",
		always(0, 9),
	)
	f(
		"packets go round and never arrive: router (0) port +x VC 0 -> router (1) port +x VC 0 -> ",
		always(0, 0),
	)
	f(
		"network.routing: found an algorithm of your own, expected an algorithm that suits the network (networks.nameOnly is no routing algorithm)",
		func(topology.Topology, int) (routing.Algorithm, error) { return nameOnly{}, nil },
	)
	f(
		"network.routing: found an algorithm of your own, expected an algorithm that suits the network (it rains)",
		func(topology.Topology, int) (routing.Algorithm, error) { return nil, errors.New("it rains") },
	)
}

// nameOnly has a name and no routes.
type nameOnly struct{}

func (nameOnly) Name() string { return "nothing" }

// stubborn sends all packets by one channel.
type stubborn struct{ port, vc uint16 }

func (stubborn) Name() string { return "stubborn" }

func (stubborn) Start(_, dst int32) (uint64, uint8) { return uint64(dst), 0 }

func (s stubborn) Next(_ int32, header uint64) (port, vc uint16, next uint64) {
	return s.port, s.vc, header
}

// TestTooManyVCs: where an algorithm would need more virtual channels than a port can have, those
// that do not are named, and a default becomes one of them.
func TestTooManyVCs(t *testing.T) {
	var edges strings.Builder
	for i := range 70 {
		fmt.Fprintf(&edges, "r%d r%d\n", i, (i+1)%70)
	}
	file := filepath.Join(t.TempDir(), "ring.txt")
	if err := os.WriteFile(file, []byte(edges.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	f := func(routing string) (*fabricast.Preview, error) {
		t.Helper()
		e, err := fabricast.Parse(
			"x.yaml",
			"network: {topology: {kind: file, file: "+file+"}, router: {vcs: 2}"+routing+"}\nworkload: {program: barrier}\n",
		)
		if err != nil {
			t.Fatal(err)
		}
		return e.Preview()
	}
	p, err := f("")
	if err != nil || p.Routing != "up-down" || p.Experiment.Network.Routing.Name() != "up-down" ||
		p.Deadlock != "free of deadlock" {
		t.Errorf("%+v, %v", p, err)
	}
	_, err = f(", routing: shortest")
	const want = "found shortest, which needs 35 virtual channels here, expected an algorithm that needs at most 32 (a port cannot have more; one of dfsssp, up-down would do)"
	if err == nil || !strings.Contains(err.Error(), want) {
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
	for word, up := range map[string]string{"up-straight": "source", "down-straight": "destination"} {
		f(
			"network: {topology: {kind: fat-tree, radix: 4, levels: 2}, routing: {algorithm: nca, up: "+word+"}}",
			"up: "+up,
		)
	}
	f("network: {topology: {dims: [4]}, routing: shortest}", "classes: auto")
	f("network: {topology: {dims: [4]}, routing: up-down}", "root: middle")
	f("network: {topology: {dims: [4]}, routing: source}", "of: minimal")
	f("network: {topology: {dims: [4]}, routing: ugal-g}", "interval: 1us")
	f("network: {topology: {dims: [4]}, routing: {algorithm: zone, zones: [x]}}", "zones: [x]")
}
