package ways

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/producttest"
	"fabricast/internal/run"
	"fabricast/internal/units"
)

// TestForks: a future that starts from the state just before a fault is the whole run with that
// fault, also if the fault begins at the very time of the state, or before the first one that can
// be kept.
func TestForks(t *testing.T) {
	t.Parallel()
	d := producttest.Draws(t)
	compared, stuck := 0, 0
	for range times(40) {
		of := slices.Concat(faulted, faultedEthernet)[d.IntN(len(faulted)+len(faultedEthernet))]
		text := fmt.Sprintf("network: %s}\nseed: %d\n", of.network, d.IntN(1000)) + drawForked(d, of.hosts)
		if strings.Contains(of.network, "header: 32B") {
			text = ethernetOf(text)
		}
		react := fmt.Sprintf("faults: {reroute: %s, detection: %dns, update: %dns", of.reroute, d.IntN(4000), d.IntN(4000))
		if !strings.Contains(of.network, "header: 32B") {
			react += producttest.One(d, "", ", packets: lose, timeout: 2us")
		}
		if !strings.Contains(of.network, "output_buffer") && !strings.Contains(of.network, "pfc") {
			react += producttest.One(d, "", ", bit_errors: {rate: 1e-6}")
		}
		at := drawMoment(d)
		agree, cut := forkAgrees(t, text, react, at, drawFuture(d, at))
		compared += agree
		stuck += cut
	}
	t.Logf("%d futures, of which %d do not end", compared, stuck)
	if !testing.Short() && (compared < 10 || compared == stuck) {
		t.Error("this shows nothing")
	}
}

// faultedEthernet are networks that drop or pause packets.
var faultedEthernet = []struct {
	network, reroute string
	hosts            int
}{
	{"{topology: {dims: [4, 3]}, packet: {header: 32B}, router: {buffers: lossy, queue: 8KiB}", "same", 12},
	{"{topology: {dims: [4, 3]}, packet: {header: 32B}, router: {buffers: lossy, trimming: true}", "none", 12},
	{"{topology: {kind: fat-tree, radix: 6, levels: 2}, packet: {header: 32B}, router: {buffers: pfc}", "same", 18},
}

// ethernetOf gives an experiment the transport of such a network, in place of what it cannot have.
func ethernetOf(text string) string {
	text = strings.ReplaceAll(text, "collectives: {alltoall: {pacing: mod}}\n", "")
	const transport = "transport: {retransmission: selective, paths: {algorithm: oblivious}, timeout: 20us}"
	if strings.Contains(text, "node: {") {
		return strings.Replace(text, "node: {", "node: {"+transport+", ", 1)
	}
	return text + "node: {" + transport + "}\n"
}

// drawForked describes what runs for some of run.LookGrain.
func drawForked(d *rand.Rand, hosts int) string {
	if d.IntN(4) == 0 {
		return producttest.Jobs(d, hosts, true)
	}
	return fmt.Sprintf("node: {nics: %d, overhead: %dns}\n", 1+d.IntN(2), d.IntN(200)) + producttest.One(d,
		"workload: {program: alltoall, algorithm: simple-spread, size: 9KiB}\n",
		"workload: {program: alltoall, algorithm: ring, size: 5KiB}\ncollectives: {alltoall: {pacing: mod}}\n",
		"imbalance: {width: 3us}\nworkload: {program: alltoall, algorithm: bruck, size: 5KiB}\n",
		"workload: {program: allreduce, size: 40KiB, iterations: 2}\n",
	)
}

// drawMoment returns the time of a fault, which a multiple of run.LookGrain may be.
func drawMoment(d *rand.Rand) units.Time {
	at := units.Time(1+d.IntN(9)) * run.LookGrain
	if d.IntN(3) > 0 {
		at -= units.Time(1 + d.IntN(1<<20-1))
	}
	return at
}

// drawFuture returns one or two faults that begin at a time.
func drawFuture(d *rand.Rand, at units.Time) []experiment.Fault {
	first := experiment.Fault{Link: producttest.One(d, "0-1", "0>1", "1>0"), From: at}
	if d.IntN(4) > 0 {
		first.To = at + units.Nanosecond + units.Time(d.IntN(8_000_000))
	}
	list := []experiment.Fault{first}
	if d.IntN(2) == 0 {
		from := at + units.Time(d.IntN(2))*units.Time(d.IntN(2_000_000))
		list = append(list, experiment.Fault{Link: "2-3", From: from, To: from + 2*units.Microsecond})
	}
	if d.IntN(4) == 0 {
		return []experiment.Fault{{Switch: "2", From: at, To: first.To}}
	}
	return list
}

// forkAgrees compares a future with the whole run. It returns how many were compared, and did not
// end.
func forkAgrees(t *testing.T, text, react string, at units.Time, list []experiment.Fault) (compared, stuck int) {
	t.Helper()
	base, err := fabricast.Parse("fork.yaml", text+react+"}\n")
	if err != nil {
		t.Fatalf("%v\n%s", err, text+react)
	}
	whole := *base
	whole.Faults.Events = list
	want, wrong := whole.Run(t.Context(), fabricast.Workers(1+int(at)%2))
	r, err := experiment.Resolve(experiment.Experiment(*base))
	if err == nil {
		r, err = r.ExpectingFaults()
	}
	if err != nil {
		t.Fatal(err)
	}
	fork, err := run.NewFork(t.Context(), r)
	if err == nil && at > 3*run.LookGrain {
		fork, err = fork.At(t.Context(), at/2)
	}
	if err == nil {
		fork, err = fork.At(t.Context(), at)
	}
	var refused *fabricast.ConfigError
	if errors.As(err, &refused) && strings.Contains(err.Error(), "before the end of the run") {
		return 0, 0
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text+react)
	}
	got, err := fork.Run(t.Context(), list)
	var down *fabricast.OutageError
	switch {
	case errors.As(wrong, &refused) && errors.As(err, &refused):
		return 0, 0
	case errors.As(wrong, &down) && err != nil && err.Error() == wrong.Error():
		return 1, 1
	case wrong != nil || err != nil:
		t.Errorf("%v, want %v\n%s\n%+v", err, wrong, text+react, list)
		return 0, 0
	}
	if a, b := withoutHost(t, got), withoutHost(t, want); a != b {
		t.Errorf("at %v: %s, want %s\n%s\n%+v", at, a, b, text+react, list)
	}
	return 1, 0
}
