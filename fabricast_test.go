package fabricast_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/producttest"
	"fabricast/mpi"
	"fabricast/topology"
	"fabricast/workload"
)

// TestDefaultsInGo tells a zero that is meant from one that is not.
func TestDefaultsInGo(t *testing.T) {
	e := producttest.Torus(4, 4)
	e.Network.Link.Bandwidth = 4 * fabricast.GBPerSecond // its latency is 0 on purpose
	e.Workload = experiment.Workload{Program: "barrier"}
	if err := e.Resolve(); err != nil {
		t.Fatal(err)
	}
	n := e.Network
	if n.Link.Latency != 0 || n.HostLink != n.Link || n.Router.Bandwidth != n.Link.Bandwidth {
		t.Errorf("links %+v and %+v, crossbar %v", n.Link, n.HostLink, n.Router.Bandwidth)
	}
	if n.Router.Latency != 140*fabricast.Nanosecond || e.Node.Overhead != 200*fabricast.Nanosecond ||
		e.Ranks != 16 ||
		e.Seed != 1 {
		t.Errorf("resolved to %+v", e)
	}
}

// TestResolvedRepeats demands that the resolved experiment, written and read
// again, is the same experiment with the same result.
func TestResolvedRepeats(t *testing.T) {
	for _, name := range workload.Names() {
		e := producttest.Torus(3, 4)
		e.Mapping.Order = experiment.MappingRandom
		e.Network.Topology = topology.TorusSpec{Dims: []int{3, 4}, Wrap: []bool{true, false}}
		e.Workload = experiment.Workload{Program: name}
		if workload.Find(name).Takes("size") {
			e.Workload.Size = 1000
		}
		if workload.Find(name).NeedsFile() {
			e.Workload.File = recording(t)
		}
		if err := e.Resolve(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text, err := e.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := fabricast.Parse("resolved.yaml", string(text))
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		repeated, err := again.YAML()
		if err != nil || string(repeated) != string(text) {
			t.Errorf("%s: resolved again to %v\n%s\nfrom\n%s", name, err, repeated, text)
		}
		if a, b := producttest.Run(t, &e), producttest.Run(t, again); a.Hash != b.Hash || a.SimulatedTime != b.SimulatedTime {
			t.Errorf("%s: results %s and %s", name, a.Hash, b.Hash)
		}
	}
}

// recording leaves a small recording in a file.
func recording(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "recording.csv")
	if err := os.WriteFile(path, []byte("0,barrier\n1,0,11,5000\n1,11,0,100,put\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestResultKeys holds the JSON of a result to the keys that others rely on.
func TestResultKeys(t *testing.T) {
	e := producttest.Torus(2, 2)
	e.Workload = experiment.Workload{Program: "barrier"}
	text, err := producttest.Run(t, &e).JSON()
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"schema", "version", "result_hash", "simulated_time_ps", "seed", "ranks", "rank_end_ps.mean", "slowest_rank",
		"messages", "unreceived_messages", "packets", "packet_hops", "payload_bytes", "workers", "engine",
		"latency_ps.mean", "latency_ps.p50", "latency_ps.p99", "latency_ps.max",
		"links.mean_bytes_per_s", "links.max_bytes_per_s", "links.mean_utilization", "links.max_utilization",
		"host.user_s", "host.sys_s", "host.wall_s", "host.peak_rss_bytes",
	} {
		outer, inner, nested := strings.Cut(path, ".")
		value := got[outer]
		if object, ok := value.(map[string]any); nested && ok {
			value = object[inner]
		}
		if value == nil {
			t.Errorf("the result has no %s:\n%s", path, text)
		}
	}
	if got["schema"] != fabricast.Schema {
		t.Errorf("schema %v", got["schema"])
	}
}

func TestConfigErrorInGo(t *testing.T) {
	f := func(change func(*fabricast.Experiment), want string) {
		t.Helper()
		e := producttest.Torus(4, 4)
		e.Workload = experiment.Workload{Program: "barrier"}
		change(&e)
		_, err := e.Run(context.Background())
		var config *fabricast.ConfigError
		if !errors.As(err, &config) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want a ConfigError with %q", err, want)
		}
	}
	f(func(e *fabricast.Experiment) { e.Network.Topology = topology.TorusSpec{} },
		"network.topology.dims: found nothing, expected the sizes of the dimensions")
	f(
		func(e *fabricast.Experiment) { e.Network.Link.Latency = -1 },
		"network.link.latency: found -1ps, expected a time from 0ps",
	)
	f(
		func(e *fabricast.Experiment) { e.Program = func(*mpi.Rank) {} },
		"found both a named program and a Go function",
	)
	f(func(e *fabricast.Experiment) { e.Ranks = 17 }, "ranks: found 17, expected 1 to 16")
	f(
		func(e *fabricast.Experiment) { e.Network.Router.VCs = 1 },
		"network.router.vcs: found 1, expected at least 2",
	)
	f(func(e *fabricast.Experiment) { e.Workload.Size = -4 }, "workload.size: found -4B")
}

// TestOneMistakeIsToldOnce demands that fields that take their values from a wrong one are not told
// of beside it.
func TestOneMistakeIsToldOnce(t *testing.T) {
	f := func(want string, assignments ...string) {
		t.Helper()
		_, err := fabricast.Parse(
			"x.yaml",
			"network:\n  topology: {dims: [4, 4]}\nworkload: {program: barrier}\n",
			assignments...)
		if err == nil || strings.Count(err.Error(), "found ") != 1 || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v\nwant a single problem, with %q", assignments, err, want)
		}
	}
	f("network.link.bandwidth: found 0B/s", "network.link={bandwidth: 0}")
	f("network.link.latency: found 2000000s", "network.link={latency: 2000000s}")
	f("network.link.bandwidth: found 1B/s", "network.link={bandwidth: 1B/s}")
	f(
		"network.packet.mtu: found 16MiB, expected at most 15999999B (a packet of 16MiB would take longer than 2ms at 8GB/s)",
		"network.packet={mtu: 16MiB, flit: 1KiB}",
	)
	f("node.memory: found 0B/s", "node.memory=0")
	f(
		"network.host_link.bandwidth: found 0B/s",
		"network.host_link.bandwidth=0",
		"network.links={host: {latency: 1ns}}",
	)
	e := producttest.Torus(4, 4)
	e.Network.Link = experiment.Link{Bandwidth: -1, Latency: -1}
	e.Node.Memory = -1
	e.Workload = experiment.Workload{Program: "barrier"}
	if err := e.Resolve(); err == nil || strings.Count(err.Error(), "found ") != 3 {
		t.Errorf("three wrong fields: got %v", err)
	}
}

func TestRunError(t *testing.T) {
	e := producttest.Torus(2, 2)
	e.Program = func(r *mpi.Rank) {
		r.Compute(mpi.Microsecond)
		if r.Rank() == 2 {
			panic("the sky is falling")
		}
		r.Compute(mpi.Millisecond)
	}
	_, err := e.Run(context.Background())
	var failed *fabricast.RunError
	if !errors.As(err, &failed) || failed.Rank != 2 || failed.Time != fabricast.Microsecond ||
		!strings.Contains(err.Error(), "the sky is falling") {
		t.Errorf("got %v", err)
	}
}

func TestDeadlock(t *testing.T) {
	e := producttest.Torus(2, 2)
	e.Program = func(r *mpi.Rank) {
		r.Recv(mpi.Size(1), (r.Rank()+1)%r.Size(), 7)
	}
	_, err := e.Run(context.Background())
	var deadlock *fabricast.DeadlockError
	if !errors.As(err, &deadlock) || !strings.Contains(err.Error(), "tag 7") {
		t.Errorf("got %v", err)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	e := producttest.Torus(2, 2)
	e.Program = func(r *mpi.Rank) { // never ends
		if r.Rank() == 0 {
			r.Send(mpi.Size(1), 3, 0)
			return
		}
		for other := r.Rank() ^ 1; ; {
			r.Sendrecv(mpi.Size(1000), other|2, 0, mpi.Size(1000), mpi.AnySource, mpi.AnyTag)
			if r.Now() > 10*mpi.Microsecond {
				cancel()
			}
		}
	}
	_, err := e.Run(ctx)
	var interrupted *fabricast.InterruptedError
	if !errors.As(err, &interrupted) || !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if interrupted.Time < 10*fabricast.Microsecond || interrupted.Ranks != 4 || interrupted.Finished != 1 {
		t.Errorf("got %+v", interrupted)
	}
}
