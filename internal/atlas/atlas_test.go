package atlas

import (
	"context"
	"encoding/csv"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/failure"
	"fabricast/internal/units"
	"fabricast/topology"
)

// ring is a ring of four, which a failure of a link makes a line.
const ring = `network: {topology: {dims: [4]}, routing: up-down, router: {vcs: 3}}
workload: {program: alltoall, algorithm: simple-spread, size: 20KiB}
faults: {reroute: up-down, vcs: 1, detection: 1us, update: 500ns`

func resolved(t *testing.T, text string) *experiment.Resolved {
	t.Helper()
	e, err := fabricast.Parse("atlas.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := experiment.Resolve(experiment.Experiment(*e))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFutures: each is the run with its fault in the file, for any number of workers, and they are
// ranked.
func TestFutures(t *testing.T) {
	o := Options{At: 9 * units.Microsecond, Repair: 20 * units.Microsecond, Links: All, Switches: 1, Pairs: 2, Workers: 1}
	r, err := Make(t.Context(), resolved(t, ring+"}\n"), o)
	if err != nil || len(r.Futures) != 7 {
		t.Fatalf("%+v: %v", r, err)
	}
	last := 0
	o.Workers, o.Progress = 3, func(p Progress) { last = p.Done }
	if again, err := Make(t.Context(), resolved(t, ring+"}\n"), o); err != nil || !reflect.DeepEqual(again, r) || last != 7 {
		t.Errorf("%d done: %v\n%+v\n%+v", last, err, again, r)
	}
	for i := range r.Futures {
		f := &r.Futures[i]
		var events []string
		for _, name := range f.Fails {
			kind, name, _ := strings.Cut(name, " ")
			events = append(events, "{"+kind+": "+name+", from: 9us, to: 29us}")
		}
		e, err := fabricast.Parse("whole.yaml", ring+", events: ["+strings.Join(events, ", ")+"]}\n")
		if err != nil {
			t.Fatal(err)
		}
		whole, err := e.Run(t.Context())
		if err != nil || whole.Hash != f.Hash || whole.SimulatedTime != f.Time || f.Lost != f.Time-r.Undisturbed {
			t.Errorf("%+v: %v, %+v", f, err, whole)
		}
		if i > 0 && f.Lost > r.Futures[i-1].Lost {
			t.Errorf("%v loses more than %v before it", f.Fails, r.Futures[i-1].Fails)
		}
		want := map[string]int{KindLink: 0, KindSwitch: 1}
		if n, known := want[f.Kind]; known && f.CutOff != n {
			t.Errorf("%v: %d hosts are cut off", f.Fails, f.CutOff)
		}
	}
	if r.Futures[0].Lost <= 0 || r.Forked > o.At || r.Repair != o.Repair {
		t.Errorf("%+v", r)
	}
	drawn(t, r)
	var text strings.Builder
	if err := r.CSV(&text); err != nil {
		t.Fatal(err)
	}
	if rows, err := csv.NewReader(strings.NewReader(text.String())).ReadAll(); err != nil || len(rows) != 8 {
		t.Errorf("%v: %s", err, text.String())
	}
}

// drawn draws a report of four links and one switch: each has the colour of its grade.
func drawn(t *testing.T, r *Report) {
	t.Helper()
	var svg strings.Builder
	if err := r.SVG(&svg); err != nil {
		t.Fatal(err)
	}
	lines, squares := map[string]int{}, map[string]int{}
	for i := range r.Futures {
		switch f := &r.Futures[i]; f.Kind {
		case KindLink:
			lines[gradeColors[f.grade()]]++
		case KindSwitch:
			squares[gradeColors[f.grade()]]++
		}
	}
	for color, want := range lines {
		_, group, found := strings.Cut(svg.String(), `<g fill="none" stroke="`+color+`"`)
		group, _, _ = strings.Cut(group, "</g>")
		if got := strings.Count(group, "<path"); !found || got != want {
			t.Errorf("%d links are drawn in %s, want %d", got, color, want)
		}
	}
	for color, want := range squares {
		if got := strings.Count(svg.String(), `fill="`+color+`" stroke="#22303c"><title>`); got != want {
			t.Errorf("%d switches are drawn in %s, want %d", got, color, want)
		}
	}
	if err := new(Report).SVG(&svg); err == nil {
		t.Error("a report without a network is drawn")
	}
}

// TestGrades: the grades of losses at their limits.
func TestGrades(t *testing.T) {
	for _, c := range []struct {
		f    Future
		want int
	}{
		{Future{State: StateEnds}, gradeNone},
		{Future{State: StateEnds, Share: -0.1}, gradeNone},
		{Future{State: StateEnds, Share: 0.001}, gradeNone},
		{Future{State: StateEnds, Share: 0.002}, gradeLow},
		{Future{State: StateEnds, Share: 0.05}, gradeLow + 1},
		{Future{State: StateEnds, Share: 0.2}, gradeLow + 2},
		{Future{State: StateEnds, Share: 3}, gradeWaits - 1},
		{Future{State: StateWaits}, gradeWaits},
		{Future{State: StateDeadlock}, gradeWaits},
		{Future{State: StateFailed}, gradeUnseen},
	} {
		if got := c.f.grade(); got != c.want {
			t.Errorf("%+v: grade %d, want %d", c.f, got, c.want)
		}
	}
}

// TestFutureThatWaits: an unreachable host is what comes of the future, and no error.
func TestFutureThatWaits(t *testing.T) {
	o := Options{Repair: Forever, Switches: All}
	r, err := Make(t.Context(), resolved(t, "network: {topology: {dims: [4]}}\n"+
		"workload: {program: alltoall, algorithm: ring, size: 20KiB}\n"), o)
	if err != nil || len(r.Futures) != 4 || r.At != r.Undisturbed/2 || r.Repair != 0 {
		t.Fatalf("%+v: %v", r, err)
	}
	for i := range r.Futures {
		if f := &r.Futures[i]; f.State != StateWaits || f.CutOff != 1 || f.Hash != "" || !strings.Contains(f.Error, f.Fails[0]) {
			t.Errorf("%+v", f)
		}
	}
}

// TestInterrupted: what was done is kept.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := Options{Links: All, Workers: 1, Progress: func(p Progress) {
		if p.Done == 2 {
			cancel()
		}
	}}
	r, err := Make(ctx, resolved(t, ring+"}\n"), o)
	var left *InterruptedError
	if !errors.As(err, &left) || !errors.Is(err, context.Canceled) || left.Done != 2 || len(r.Futures) != 2 || r.Left != 2 {
		t.Errorf("%+v: %v", r, err)
	}
}

// TestRefusedFutures: those whose tables cannot be proved are told, others are not lost.
func TestRefusedFutures(t *testing.T) {
	text := strings.Replace(ring, ", vcs: 1", "", 1)
	r, err := Make(t.Context(), resolved(t, text+"}\n"), Options{Links: All})
	var failed *FailedError
	var config *failure.ConfigError
	if !errors.As(err, &failed) || !errors.As(err, &config) || failed.Failed == 4 || len(r.Futures) != 4 {
		t.Fatalf("%+v: %v", r, err)
	}
	if last := r.Futures[3]; last.State != StateFailed || last.Error == "" || r.Futures[0].State != StateEnds {
		t.Errorf("%+v", r)
	}
}

// TestNoAtlas: what has no futures is refused.
func TestNoAtlas(t *testing.T) {
	for _, c := range []struct {
		text, says string
		o          Options
	}{
		{"workload: {program: alltoall, size: 20KiB}\nimbalance: {width: 10%}", "imbalance.width: found a share", Options{Links: All}},
		{"workload: {program: alltoall, size: 20KiB}\nfaults: {events: [{link: 0-1, from: 1us}]}", "faults: found faults of the run", Options{Links: All}},
		{"workload: {program: alltoall, size: 20KiB}\nfaults: {packets: retry}", "expected one before the end of the run", Options{Links: All, At: units.Second}},
		{"workload: {program: alltoall, size: 20KiB}", "expected one before the end of the run", Options{Links: All, At: units.Second}},
		{"workload: {program: alltoall, size: 20KiB}", "at least 1ns after the fault begins", Options{Links: All, Repair: 1}},
		{"workload: {program: alltoall, size: 20KiB}", "found nothing that fails", Options{}},
		{"ranks: 1\nworkload: {program: barrier}", "found a run that takes no time", Options{Links: All}},
	} {
		_, err := Make(t.Context(), resolved(t, "network: {topology: {dims: [4]}}\n"+c.text+"\n"), c.o)
		var config *failure.ConfigError
		if !errors.As(err, &config) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v does not say %q", c.text, err, c.says)
		}
	}
}

// TestDraw: as many different numbers as were wanted, in ascending order, each as often as others.
func TestDraw(t *testing.T) {
	seen := make([]int, 10)
	for seed := range uint64(1000) {
		for some := range 12 {
			list := draw(seed, 10, some)
			if len(list) != min(some, 10) || !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
				t.Fatalf("%d of 10: %v", some, list)
			}
			if some == 3 || some == 7 {
				for _, i := range list {
					seen[i]++
				}
			}
		}
	}
	if slices.Min(seen) < 850 || slices.Max(seen) > 1150 {
		t.Errorf("drawn %v times, want about 1000 each", seen)
	}
	if all := draw(1, 10, All); len(all) != 10 {
		t.Errorf("all: %v", all)
	}
	p := 0
	for a := range 20 {
		for b := range a {
			if x, y := pairAt(p); x != a || y != b {
				t.Fatalf("pair %d is %d, %d, want %d, %d", p, x, y, a, b)
			}
			p++
		}
	}
}

// TestCutOff compares the hosts that are cut off with those that a search from each host finds.
func TestCutOff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := rapid.SampledFrom([]topology.Spec{
			topology.TorusSpec{Dims: []int{4}, Hosts: 1},
			topology.TorusSpec{Dims: []int{3, 2}, Hosts: 2},
			topology.FatTreeSpec{Radix: 4, Levels: 2},
			topology.FatTreeSpec{Radix: 2, Levels: 3},
		}).Draw(t, "spec")
		built, err := spec.Build(rapid.IntRange(1, 2).Draw(t, "nics"))
		if err != nil {
			t.Fatal(err)
		}
		g := built.Graph()
		o := Options{Links: 1, Switches: 1, Pairs: 1}
		list, err := elements(g, rapid.Uint64().Draw(t, "seed"), &o)
		if err != nil || len(list) != 3 {
			t.Fatalf("%+v: %v", list, err)
		}
		for _, x := range list {
			if got, want := newConnection(g).cutOff(&x), searched(g, &x); got != want {
				t.Fatalf("%v: %d hosts are cut off, want %d", x.names(), got, want)
			}
		}
	})
}

// searched counts hosts that do not reach the most other hosts, in a network that was connected.
func searched(g *topology.Graph, x *element) int {
	down := func(a, b int32) bool {
		return slices.Contains(x.routers, a) || slices.Contains(x.routers, b) ||
			slices.Contains(x.links, [2]int32{min(a, b), max(a, b)})
	}
	reach := make([]int, g.Hosts)
	for host := range g.Hosts {
		from := int32(g.HostRouter(host))
		if slices.Contains(x.routers, from) {
			continue
		}
		seen, list := map[int32]bool{from: true}, []int32{from}
		for len(list) > 0 {
			r := list[0]
			list = list[1:]
			for port := g.PortBase[r]; port < g.PortBase[r+1]; port++ {
				if g.Ports[port].Peer == topology.Unconnected {
					continue
				}
				if peer := int32(g.PeerRouter(int(port))); !down(r, peer) && !seen[peer] {
					seen[peer] = true
					list = append(list, peer)
				}
			}
		}
		for other := range g.Hosts {
			if seen[int32(g.HostRouter(other))] {
				reach[host]++
			}
		}
	}
	// of parts with as many hosts, one stays
	stay := slices.Max(reach)
	return g.Hosts - stay
}

// TestLossesOfUnannouncedFailures: a loaded network whose links lose packets loses less by the failure of a
// link than the time for which it is down, or gains a little, as packets behind the lost ones go on. Where packets
// wait for links, it loses about that time, and for ever if the link stays down.
func TestLossesOfUnannouncedFailures(t *testing.T) {
	const tree = "network: {topology: {kind: fat-tree, radix: 4, levels: 2}, routing: shortest}\n" +
		"workload: {program: alltoall, algorithm: simple-spread, size: 64KiB}\n"
	const react = "faults: {detection: 1us, update: 1us"
	make := func(faults string, repair units.Time) *Report {
		t.Helper()
		r, err := Make(t.Context(), resolved(t, tree+faults), Options{Links: All, Repair: repair})
		if err != nil || len(r.Futures) != 8 {
			t.Fatalf("%s: %+v: %v", faults, r, err)
		}
		return r
	}
	for _, repair := range []units.Time{100 * units.Microsecond, Forever} {
		waits := make(react+"}\n", repair)
		for _, f := range make(react+", packets: lose, timeout: 4us}\n", repair).Futures {
			if f.State != StateEnds || f.Lost > 10*units.Microsecond {
				t.Errorf("%v: %s, %v lost", f.Fails, f.State, f.Lost)
			}
		}
		if worst := waits.Futures[0]; repair != Forever && worst.Lost < repair*8/10 || repair == Forever && worst.State != StateWaits {
			t.Errorf("packets that wait: %v %s, %v lost", worst.Fails, worst.State, worst.Lost)
		}
	}
	if f := make("", Forever).Futures[0]; f.State != StateEnds || f.Lost <= 0 {
		t.Errorf("without faults in the file: %+v", f)
	}
}
