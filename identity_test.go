package fabricast

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fabricast/internal/experiment"
	"fabricast/internal/oracle/experiments"
	"fabricast/routing"
	"fabricast/topology"
	"fabricast/traffic"
)

// switches are the kinds of switches.
var switches = []string{
	"{queues: input}",
	"{queues: voq}",
	"{queues: input, output_buffer: 1KiB, bandwidth: 12GB/s}",
}

// TestWorkersChangeNothing holds the headline promise: a result, and every table recorded with it,
// is a function of the experiment alone. Of every network, routing and switch that can be named one
// experiment is drawn and run with one to four workers. A new kind of network or routing fails the
// test until it takes part in it.
func TestWorkersChangeNothing(t *testing.T) {
	eachSmallNetwork(t, func(t *testing.T, network string) {
		t.Parallel()
		d := drawsFor(t)
		eachRouting(t, d, network, func(routing string) {
			some := switches
			if testing.Short() { // under the race detector all would take minutes
				some = switches[d.IntN(len(switches)):][:1]
			}
			for _, router := range some {
				text := fmt.Sprintf(
					"network: {topology: %s, routing: %s, router: %s}\n%s",
					network,
					routing,
					drawRouter(d, router),
					drawLoad(d),
				)
				workersAgree(t, text)
			}
		})
	})
}

// drawsFor are random numbers of a test's own.
func drawsFor(t *testing.T) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(t.Name()))
	return rand.New(rand.NewPCG(h.Sum64(), 0x6964))
}

// one is one of some values.
func one(d *rand.Rand, values ...string) string { return values[d.IntN(len(values))] }

// drawRouter adds to a switch what any may have.
func drawRouter(d *rand.Rand, router string) string {
	arbiter := one(d, experiment.Words("network.router.arbiter")...)
	buffer := one(d, "512B", "1KiB", "8KiB")
	return strings.TrimSuffix(router, "}") + ", arbiter: " + arbiter + ", buffer: " + buffer + "}"
}

// drawLoad draws what the network has to carry: a program or traffic, and what is recorded of it.
func drawLoad(d *rand.Rand) string {
	text := fmt.Sprintf(
		"seed: %d\nnode: {nics: %s, overhead: %s}\n",
		d.IntN(1000),
		one(d, "1", "1", "2"),
		one(d, "0ns", "100ns"),
	)
	ranks := d.IntN(4) > 0
	if d.IntN(3) == 0 {
		text += "record: {bins: {interval: 500ns, buffers: true}, buffers: {routers: [0]}, messages: true"
		if ranks {
			text += ", timeline: true"
		}
		text += "}\n"
	}
	if ranks {
		return text + drawImbalance(d) + one(d,
			"workload: {program: alltoall, algorithm: simple-spread, size: 700B}",
			"workload: {program: alltoall, algorithm: ring, size: 300B}",
			"workload: {program: alltoall, algorithm: bruck, size: 300B}",
			"workload: {program: allreduce, size: 4KiB}",
		)
	}
	return text + one(d,
		"traffic: {load: 60%, size: 200B, measure: {longest: 2us, bin: 100ns}}",
		"traffic: {window: 3, size: 1B, reply: 2KiB, measure: {longest: 2us, bin: 100ns}}",
	)
}

// drawImbalance draws when ranks begin: mostly by a share of a time that must be found first.
func drawImbalance(d *rand.Rand) string {
	if d.IntN(2) > 0 {
		return ""
	}
	text := fmt.Sprintf(
		"imbalance: {distribution: %s, order: %s, width: %s}\n",
		one(d, ImbalanceNormal, ImbalanceUniform, ImbalanceExponential), one(d, OrderSorted, OrderRandom),
		one(d, "3us", fmt.Sprintf("%d%%", 1+d.IntN(100)), "0.001%", "100%"),
	)
	if d.IntN(2) == 0 {
		text += one(d, "noise: {every: 5us, lose: 300ns}\n", "noise: {every: 1us, lose: 50ns, phase: aligned}\n")
	}
	return text
}

// workersAgree runs an experiment with one to four workers.
func workersAgree(t *testing.T, text string) {
	t.Helper()
	var first map[string]string
	for workers := 1; workers <= 4; workers++ {
		got, err := allOf(t, text, workers)
		if err != nil {
			t.Errorf("%d workers: %v\n%s", workers, err, text)
			return
		}
		if first == nil {
			first = got
		}
		for name := range first {
			if first[name] != got[name] {
				t.Errorf(
					"%s is another with 1 and %d workers:\n%s\n%s",
					name, workers, text, firstDifference(first[name], got[name]),
				)
				return
			}
		}
	}
}

// allOf is all that a run leaves but what tells of the machine: the result, and the files of its
// folder by name.
func allOf(t *testing.T, text string, workers int, options ...Option) (map[string]string, error) {
	t.Helper()
	e, err := Parse("identity.yaml", text)
	if err != nil {
		return nil, err
	}
	options = append(options, Workers(workers))
	folder := ""
	if e.Record.Given() {
		folder = filepath.Join(t.TempDir(), "result")
		options = append(options, Record(folder))
	}
	r, err := e.Run(context.Background(), options...)
	if err != nil {
		return nil, err
	}
	r.Workers, r.Balance, r.Windows, r.Host = 0, 0, 0, Host{}
	result, err := json.Marshal(r)
	all := map[string]string{"the result": string(result)}
	if folder == "" || err != nil {
		return all, err
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.parquet"))
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if !bytes.HasPrefix(content, []byte("PAR1")) {
			t.Errorf("%s is no table", name)
		}
		all[filepath.Base(name)] = string(content)
	}
	return all, err
}

// TestWorkersChangeNoTraffic runs every pattern on every network, in open and closed loops of odd
// sizes and windows. Most are refused by most networks; none may fail otherwise.
func TestWorkersChangeNoTraffic(t *testing.T) {
	eachSmallNetwork(t, func(t *testing.T, network string) {
		t.Parallel()
		d := drawsFor(t)
		for i, kind := range traffic.Kinds() {
			if i%3 != d.IntN(3) || testing.Short() && d.IntN(3) > 0 {
				continue // each pattern has many networks
			}
			text := fmt.Sprintf(
				"network: {topology: %s}\ntraffic: {pattern: %s, %s, measure: {longest: %s}}",
				network,
				patternOf(kind),
				drawLoop(d),
				one(d, "1us", "5us"),
			)
			e, err := Parse("traffic.yaml", text)
			if err == nil {
				_, err = e.Preview()
			}
			if err != nil {
				if !isRefused(err) {
					t.Errorf("%v\n%s", err, text)
				}
				continue
			}
			workersAgree(t, text)
		}
	})
}

// TestWorkersChangeNoPublishedQueues: queues published at intervals shorter than the windows would
// be without them are those of the time of publication, whatever credit comes at that very time.
func TestWorkersChangeNoPublishedQueues(t *testing.T) {
	for _, interval := range []string{"20ns", "50ns", "70ns", "110ns"} {
		workersAgree(
			t,
			"network: {topology: {kind: torus, dims: [4, 3], hosts: 2}, routing: {algorithm: ugal-g, interval: "+interval+"}}\n"+
				"seed: 966\ntraffic: {load: 60%, size: 200B, measure: {longest: 2us, bin: 100ns}}",
		)
	}
}

// patternOf is a pattern with parameters that suit many small networks.
func patternOf(kind *traffic.Kind) string {
	params := map[string]string{
		"hosts": "hosts: [0, 2]",
		"share": "share: 20%",
		"block": "block: 2",
		"parts": "parts: [{share: 60%, hops: 1}, {share: 40%}]",
	}
	text := "{name: " + kind.Name
	for _, name := range kind.Params {
		if param := params[name]; param != "" {
			text += ", " + param
		}
	}
	return text + "}"
}

// drawLoop draws how sources are driven.
func drawLoop(d *rand.Rand) string {
	sizes := []string{"1B", "64B", "256B", "1000B", "5KiB"}
	if d.IntN(2) == 0 {
		return fmt.Sprintf(
			"window: %d, size: %s, reply: %s",
			1+d.IntN(6), one(d, sizes...), one(d, append(sizes, "0B")...),
		)
	}
	return fmt.Sprintf(
		"load: %d%%, size: %s, arrivals: %s",
		1+d.IntN(100), one(d, sizes...), one(d, "bernoulli", "poisson"),
	)
}

// isRefused tells whether an experiment was refused as wrongly described.
func isRefused(err error) bool {
	var wrong *ConfigError
	return errors.As(err, &wrong)
}

// firstDifference shows where two texts part.
func firstDifference(a, b string) string {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	from := max(0, at-80)
	return fmt.Sprintf("%q\n%q, after %d bytes", a[from:min(len(a), at+40)], b[from:min(len(b), at+40)], from)
}

// TestOracleDrawsEveryKind: the experiments by which the engine is held against the oracle take in
// every network and routing that can be named.
func TestOracleDrawsEveryKind(t *testing.T) {
	for _, kind := range topology.KindNames() {
		if !slices.Contains(experiments.Kinds(), kind) {
			t.Errorf("no network of kind %s is drawn", kind)
		}
	}
	for _, name := range routing.KindNames() {
		if !slices.Contains(experiments.Routings(), name) {
			t.Errorf("routing %s is not drawn", name)
		}
	}
}
