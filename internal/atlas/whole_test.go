package atlas

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/cluster"
	"fabricast/internal/failure"
	"fabricast/internal/run"
	"fabricast/internal/units"
	"fabricast/mpi"
)

const square = "network: {topology: {dims: [4]}, routing: up-down, router: {vcs: 3}}\n"

// exchange is a program in Go.
func exchange(r *mpi.Rank) {
	other := r.Rank() ^ 1
	for range 3 {
		r.Sendrecv(mpi.Size(20_000), other, 0, mpi.Size(20_000), other, 0)
	}
}

// TestOtherFutures: futures of traffic, of jobs, of programs in Go and with packets that are lost, or sent again, are
// those of whole runs with their faults, and are said to be runs from the start where states cannot be kept.
func TestOtherFutures(t *testing.T) {
	const at, repair = 4*run.LookGrain + 20*units.Nanosecond, 3 * units.Microsecond // states are kept at whole grains
	const faults = "faults: {reroute: up-down, vcs: 1, detection: 1us, update: 500ns"
	for _, c := range []struct {
		what, text, more string
		program          func(*mpi.Rank)
		whole            string
	}{
		{"retries", "workload: {program: alltoall, size: 20KiB}\n", ", packets: retry", nil, "packets under way"},
		{"losses", "workload: {program: alltoall, size: 20KiB}\n", ", packets: lose, timeout: 1us", nil, ""},
		{
			"losses and bit errors", "workload: {program: alltoall, size: 20KiB}\n",
			", packets: lose, timeout: 1us, bit_errors: {rate: 1e-5}", nil, "bit errors",
		},
		{"traffic", "traffic: {load: 0.2, measure: {longest: 30us}}\n", "", nil, "measurement of traffic"},
		{"jobs", "jobs:\n- {name: a, ranks: 2, workload: {program: alltoall, size: 90KiB}}\n- {name: b, ranks: 2, traffic: {load: 0.2}}\n", "", nil, ""},
		{"Go", "", "", exchange, "cannot be kept"},
	} {
		load := func(events string) *fabricast.Experiment {
			text := square + c.text + faults + c.more + events + "}\n"
			if c.program != nil {
				text += "workload: {program: barrier}\n"
			}
			e, err := fabricast.Parse("atlas.yaml", text)
			if err != nil {
				t.Fatal(err)
			}
			if c.program != nil {
				e.Workload, e.Program = experiment.Workload{}, c.program
			}
			return e
		}
		resolved, err := experiment.Resolve(experiment.Experiment(*load("")))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Make(t.Context(), resolved, Options{At: at, Repair: repair, Links: All, Workers: 2})
		if err != nil || len(r.Futures) != 4 || (r.Whole == "") != (c.whole == "") || !strings.Contains(r.Whole, c.whole) {
			t.Errorf("%s: %+v: %v", c.what, r, err)
			continue
		}
		for i := range r.Futures {
			f := &r.Futures[i]
			events := fmt.Sprintf(", events: [{link: %s, from: %s, to: %s}]", strings.TrimPrefix(f.Fails[0], "link "), at, at+repair)
			whole, err := load(events).Run(t.Context())
			if err != nil || whole.Hash != f.Hash || measure(whole) != f.Time || f.Lost != f.Time-r.Undisturbed {
				t.Errorf("%s: %+v: %v, %+v", c.what, f, err, whole)
			}
			if len(f.Jobs) != len(whole.Jobs) {
				t.Errorf("%s: %d jobs, want %d", c.what, len(f.Jobs), len(whole.Jobs))
			}
		}
		if c.what == "traffic" && r.Measure != measureLatency {
			t.Errorf("traffic is measured by %s", r.Measure)
		}
	}
}

// TestFuturesOfProcesses: processes that share the futures have the report of one.
func TestFuturesOfProcesses(t *testing.T) {
	o := Options{At: 9 * units.Microsecond, Repair: 20 * units.Microsecond, Links: All, Switches: 1, Workers: 1}
	want, err := Make(t.Context(), resolved(t, ring+"}\n"), o)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for _, g := range cluster.Local(3) {
		o, e := o, resolved(t, ring+"}\n")
		o.Processes = group{g}
		all.Go(func() {
			got, err := Make(t.Context(), e, o)
			if err == nil {
				got.Network = want.Network
			}
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("process %d: %v\n%+v\n%+v", g.Rank(), err, got, want)
			}
		})
	}
	all.Wait()
}

// group is a group of processes that are goroutines.
type group struct{ cluster.Group }

func (g group) Gather(data []byte) [][]byte { return cluster.Gather(g, data) }

func (g group) Settle(err error) error { return run.Settle(err, run.Across(g.Group)) }

// TestProcessThatFails: if one process cannot begin, all end with its error.
func TestProcessThatFails(t *testing.T) {
	var all sync.WaitGroup
	for _, g := range cluster.Local(3) {
		o, e := Options{Links: All, Workers: 1, Processes: group{g}}, resolved(t, ring+"}\n")
		if g.Rank() == 1 {
			o.At = units.Second
		}
		all.Go(func() {
			_, err := Make(t.Context(), e, o)
			var other *failure.ProcessError
			if err == nil || !strings.Contains(err.Error(), "expected one before the end of the run") ||
				errors.As(err, &other) == (g.Rank() == 1) {
				t.Errorf("process %d: %v", g.Rank(), err)
			}
		})
	}
	all.Wait()
}
