package networks

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/producttest"
	"fabricast/mpi"
	"fabricast/topology"
)

// faulty returns an experiment of a network and faults, in YAML, with a program.
func faulty(t *testing.T, network, faults string, program func(*mpi.Rank)) *fabricast.Experiment {
	t.Helper()
	text := "network: {" + network + "}\nworkload: {program: barrier}\n"
	if faults != "" {
		text += "faults: {" + faults + "}\n"
	}
	e, err := fabricast.Parse("faults.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	e.Workload, e.Program = experiment.Workload{}, program
	return e
}

// timeWith returns the time of a program, which must be the same for any number of workers.
func timeWith(t *testing.T, network, faults string, program func(*mpi.Rank)) fabricast.Time {
	t.Helper()
	e := faulty(t, network, faults, program)
	first := producttest.Run(t, e, fabricast.Workers(1))
	for workers := 2; workers <= 3; workers++ {
		r := producttest.Run(t, e, fabricast.Workers(workers))
		if r.SimulatedTime != first.SimulatedTime || r.Hash != first.Hash {
			t.Errorf("%s: another result with %d workers", faults, workers)
		}
	}
	return first.SimulatedTime
}

// sends returns a program in which one rank sends a message to another.
func sends(from, to, size int) func(*mpi.Rank) {
	return func(r *mpi.Rank) {
		switch r.Rank() {
		case from:
			r.Send(mpi.Size(size), to, 0)
		case to:
			r.Recv(mpi.Size(size), from, 0)
		}
	}
}

// TestRingWithALinkDown: packets from 0 to 1 take the three other links of a ring of four, two more than
// before. Each costs the delay of a router and a cable.
func TestRingWithALinkDown(t *testing.T) {
	const ring = "topology: {kind: torus, dims: [4]}, routing: shortest, link: {latency: 100ns}, router: {vcs: 4, " +
		"routing: 2ns, vc_allocation: 3ns, switch_allocation: 4ns, switch_traversal: 5ns, latency: 60ns}"
	const hop = (2 + 3 + 4 + 5 + 60 + 100) * fabricast.Nanosecond
	whole := timeWith(t, ring, "", sends(0, 1, 64))
	for _, faults := range []string{
		"events: [{link: 0-1, from: 0}]", "events: [{link: 0>1, from: 0}]", "events: [{link: 1-0, from: 0, to: 1s}]",
		"events: [{link: 0-1, from: 0, announced: 0}]",
	} {
		if around := timeWith(t, ring, faults, sends(0, 1, 64)); around != whole+2*hop {
			t.Errorf("%s: %v, want %v more than %v", faults, around, 2*hop, whole)
		}
	}
	if other := timeWith(t, ring, "events: [{link: 1>0, from: 0}], reroute: none", sends(0, 1, 64)); other != whole {
		t.Errorf("the other direction: %v, want %v", other, whole)
	}
}

// TestUplinkAtAQuarter: one of the uplinks of a leaf carries the packets from host 0 to the last one. At a
// quarter of its rate it delays a packet by three times what it took, and others not at all.
func TestUplinkAtAQuarter(t *testing.T) {
	const tree = "topology: {kind: fat-tree, radix: 4, levels: 2}, link: {bandwidth: 4GB/s}, packet: {header: 16B, flit: 16B}"
	const payload, perByte = 240, 250
	const slower = 3 * (payload + 16) * perByte
	built, err := topology.FatTreeSpec{Radix: 4, Levels: 2}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	g := built.Graph()
	whole := timeWith(t, tree, "", sends(0, g.Hosts-1, payload))
	slow := 0
	for port := g.PortBase[0]; port < g.PortBase[1]; port++ {
		up := g.PeerRouter(int(port))
		if up < 0 {
			continue
		}
		faults := fmt.Sprintf("events: [{link: 0-%d, from: 0, rate: 25%%}]", up)
		switch r := timeWith(t, tree, faults, sends(0, g.Hosts-1, payload)); r {
		case whole:
		case whole + slower:
			slow++
		default:
			t.Errorf("%s: %v, want %v or %v ps more", faults, r, whole, slower)
		}
	}
	if slow != 1 {
		t.Errorf("%d uplinks slow the message, want 1", slow)
	}
}

// exchanges is a program of two exchanges between all ranks, the second at 200 us.
func exchanges(r *mpi.Rank) {
	for range 2 {
		var all []mpi.Request
		for other := range r.Size() {
			if other != r.Rank() {
				all = append(all, r.Irecv(mpi.Size(4096), other, 0), r.Isend(mpi.Size(4096), other, 0))
			}
		}
		r.WaitAll(all)
		r.Compute(max(0, 200*mpi.Microsecond-r.Now()))
	}
}

// TestTablesGoRoundALink: a link fails between two exchanges. Without tables the second one waits for it,
// with tables it goes round, if they change in time.
func TestTablesGoRoundALink(t *testing.T) {
	const full = "topology: {kind: fully-connected, routers: 4, hosts: 2}, routing: shortest, router: {vcs: 3}"
	const fails = "{link: 0-1, from: 100us, to: 5ms}"
	const up = 5 * fabricast.Millisecond
	whole := timeWith(t, full, "", exchanges)
	for _, c := range []struct {
		faults string
		waits  bool
	}{
		{"events: [" + fails + "], reroute: none", true},
		{"events: [" + fails + "]", false},
		{"events: [" + fails + "], reroute: up-down, vcs: 1", false},
		{"events: [" + fails + "], detection: 150us", true},
		{"events: [{link: 0-1, from: 190us, to: 5ms}]", true},
		{"events: [{link: 0-1, from: 190us, announced: 150us}]", false},
		{"events: [" + fails + ", {link: 2-3, from: 100us, to: 5ms}], reroute: up-down, vcs: 1", false},
		{"events: [{link: 2-3, from: 50us, to: 100us}, " + fails + "], reroute: up-down, vcs: 1", false},
		{"events: [" + fails + ", {link: 2-3, from: 100us, to: 6ms}], reroute: none", true},
	} {
		switch r := timeWith(t, full, c.faults, exchanges); {
		case c.waits && r <= up:
			t.Errorf("%s: packets do not wait for the link: %v", c.faults, r)
		case !c.waits && (r <= whole || r >= up/10):
			t.Errorf("%s: %v, without the fault %v", c.faults, r, whole)
		}
	}
}

// TestTimeToReroute: results say when packets avoid a fault, and how many go another way: those between the
// two switches whose link fails. Each of two exchanges of eight hosts sends two packets from each host to each.
func TestTimeToReroute(t *testing.T) {
	const full = "topology: {kind: fully-connected, routers: 4, hosts: 2}, routing: shortest, router: {vcs: 3}"
	const us = fabricast.Microsecond
	for _, c := range []struct {
		network, faults string
		reroute         fabricast.Time // -1: never
		rerouted        bool
	}{
		{full, "events: [{link: 0-1, from: 100us, to: 5ms}], detection: 3us, update: 4us", 7 * us, true},
		{full, "events: [{link: 0-1, from: 100us, announced: 98us, to: 5ms}], update: 4us", 2 * us, true},
		{full, "events: [{link: 0-1, from: 100us, announced: 90us, to: 5ms}], update: 4us", 0, true},
		{full, "events: [{link: 0-1, from: 100us, to: 300us}], reroute: none", -1, false},
		{full, "events: [{link: 0-1, from: 100us, to: 102us}], detection: 3us, update: 4us", -1, false}, // back before
		{full, "events: [{link: 0-1, from: 100us, to: 300us, rate: 50%}]", -1, false},
		{"topology: {kind: fat-tree, radix: 4, levels: 2}, routing: {algorithm: nca, up: adaptive}", "events: [{link: 0>4, from: 100us}]", 0, false},
	} {
		e := faulty(t, c.network, c.faults, exchanges)
		r := producttest.Run(t, e, fabricast.Workers(2))
		f, want := r.Faults, int64(0)
		if f == nil || f.Count != 1 || len(f.Events) != 1 || f.Events[0].From != 100*us {
			t.Errorf("%s: got %+v", c.faults, f)
			continue
		}
		if c.rerouted { // of the second exchange: two hosts of 0 with two hosts of 1, both ways
			size := e.Network.Packet.MTU - e.Network.Packet.Header
			want = 2 * 2 * 2 * int64((4096+size-1)/size)
		}
		if got := f.Events[0].Reroute; (got == nil) != (c.reroute < 0) || got != nil && *got != c.reroute {
			t.Errorf("%s: rerouted after %v, want %v", c.faults, got, c.reroute)
		}
		if f.Rerouted != want {
			t.Errorf("%s: %d packets rerouted, want %d", c.faults, f.Rerouted, want)
		}
	}
}

// TestReroutedInLossyNetworks: where routers drop packets, they count those that they lead another way, too; a
// link that is back before routers know of it is not said to be avoided. Without a reaction, nothing is rerouted.
func TestReroutedInLossyNetworks(t *testing.T) {
	const tree = "topology: {kind: fat-tree, radix: 4, levels: 2}, router: {buffers: lossy}"
	for _, c := range []struct {
		faults            string
		rerouted, avoided bool
	}{
		{"events: [{link: 0-4, from: 1us, to: 5ms}], detection: 3us, update: 4us", true, true},
		{"events: [{link: 0-4, from: 1us, to: 5ms}], reroute: none", false, false},
		{"events: [{link: 0-4, from: 1us, to: 3us}], detection: 3us, update: 4us", true, false},
	} {
		e := faulty(t, tree, c.faults, exchanges)
		f := producttest.Run(t, e, fabricast.Workers(1)).Faults
		if f.Count != 1 || (f.Rerouted > 0) != c.rerouted || (f.Events[0].Reroute != nil) != c.avoided {
			t.Errorf("%s: %+v", c.faults, f)
		}
		if r := producttest.Run(t, e, fabricast.Workers(3)).Faults; r.Rerouted != f.Rerouted {
			t.Errorf("%s: %d packets rerouted with 3 workers, %d with 1", c.faults, r.Rerouted, f.Rerouted)
		}
	}
}

// TestPlaceInFilesOfFaults: a mistake is placed at its word, and told as it is written.
func TestPlaceInFilesOfFaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "faults.txt")
	for line, want := range map[string]string{
		"link 0-1  -10us 50us # past":  ":1:11: fault.from: found -10us, expected a time such as",
		"link 10us 0-1 10us":           ":1:11: fault.from: found 0-1, expected a time such as",
		"  link\t0-1 10us - rate=250%": ":1:19: fault.rate: found 250%, expected a share above 0, below 1",
		"link 9-9 1us -":               ":1:6: fault.link: found 9-9, expected two routers",
		"link 0-1 1us":                 ":1:1: fault: found link 0-1 1us, expected link, switch, plane",
	} {
		if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := faulty(t, "topology: {dims: [4]}", "file: "+file, sends(0, 1, 1)).Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), file+want) {
			t.Errorf("%q: %v does not say %q", line, err, want)
		}
	}
}

// TestFaultAfterTheEnd: a result says of a fault that it begins after the end of the run, so that it is no surprise
// that it changes nothing.
func TestFaultAfterTheEnd(t *testing.T) {
	const ring = "topology: {dims: [4]}"
	whole := producttest.Run(t, faulty(t, ring, "", sends(0, 1, 64)))
	for _, packets := range []string{"drain", "lose"} {
		faults := "packets: " + packets + ", events: [{link: 0-1, from: 1s}, {nic: 1, from: 2s, to: 3s}]"
		r := producttest.Run(t, faulty(t, ring, faults, sends(0, 1, 64)))
		if f := r.Faults; f == nil || f.Count != 0 || f.Later != 2 || len(f.Events) != 0 || r.SimulatedTime != whole.SimulatedTime {
			t.Errorf("%s: %+v, %v without faults: %v", packets, f, r.SimulatedTime, whole.SimulatedTime)
		}
	}
	if whole.Faults != nil {
		t.Errorf("without faults: %+v", whole.Faults)
	}
}

// TestFilesOfFaults: a file says the same as the experiment, and one without lines says nothing.
func TestFilesOfFaults(t *testing.T) {
	const full = "topology: {kind: fully-connected, routers: 4, hosts: 2}, routing: shortest, router: {vcs: 3}"
	events := timeWith(t, full, "events: [{link: 0-1, from: 100us, to: 5ms}, {switch: 3, from: 50us, to: 1ms, rate: 25%}]", exchanges)
	whole := timeWith(t, full, "", exchanges)
	for text, want := range map[string]fabricast.Time{
		"link 0-1 100us 5ms\nswitch 3 50us 1ms rate=25%\n":                              events,
		"\ufefflink 0-1 100us 5ms # long\r\n\r\n# slow\r\n\tswitch 3 50us 1ms rate=25%": events,
		"":              whole,
		"\ufeff":        whole,
		"# none\r\n \n": whole,
	} {
		file := filepath.Join(t.TempDir(), "faults.txt")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := timeWith(t, full, "file: "+file, exchanges); got != want || events == whole {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestTooManyReroutings: they are refused before tables are computed, and before those that are few
// enough are refused for a cycle.
func TestTooManyReroutings(t *testing.T) {
	const full = "topology: {kind: fully-connected, routers: 24}, router: {vcs: 2}"
	for links, says := range map[int]string{256: "before and after tables change", 257: "more than 256 different sets"} {
		var events []string
		for a := range 24 {
			for b := range a {
				i := len(events)
				events = append(events, fmt.Sprintf("{link: %d-%d, from: %dus, to: %dus}", a, b, 10*i+1, 10*i+2))
			}
		}
		faults := "reroute: shortest, vcs: 1, detection: 1us, update: 1us, events: [" + strings.Join(events[:links], ", ") + "]"
		_, err := faulty(t, full, faults, exchanges).Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%d links: %v does not say %q", links, err, says)
		}
	}
}

// TestReservedVCs: dimension order keeps fewer virtual channels than ports have, as the last are those of
// packets that are rerouted.
func TestReservedVCs(t *testing.T) {
	const torus = "topology: {kind: torus, dims: [4, 4]}, router: {vcs: 3}"
	whole := timeWith(t, torus, "", exchanges)
	faults := "events: [{link: 0-1, from: 100us, to: 300us}], reroute: up-down, vcs: 1"
	if r := timeWith(t, torus, faults, exchanges); r <= whole || r >= 300*fabricast.Microsecond {
		t.Errorf("%v, without the fault %v", r, whole)
	}
}

// TestAdaptiveRoutingGoesRoundALink: packets of adaptive routing take the other of two parallel links.
func TestAdaptiveRoutingGoesRoundALink(t *testing.T) {
	const tree = "topology: {kind: fat-tree, radix: 4, levels: 2}, routing: {algorithm: nca, up: adaptive}"
	whole := timeWith(t, tree, "", exchanges)
	if r := timeWith(t, tree, "events: [{link: 0>4, from: 100us}]", exchanges); r <= whole || r > 2*whole {
		t.Errorf("%v, without the fault %v", r, whole)
	}
}

// TestAdaptiveRoutingAvoidsLinksFromAfar: packets of adaptive routing do not go where the only further way is a
// link that fails for good, once routing knows of it. Otherwise they wait there for ever, or until it is back.
func TestAdaptiveRoutingAvoidsLinksFromAfar(t *testing.T) {
	const back = ", to: 5ms"
	for _, c := range []struct{ network, link string }{
		{"topology: {kind: fat-tree, radix: 4, levels: 2}, routing: {algorithm: nca, up: adaptive}", "4>0"},
		{"topology: {kind: torus, dims: [4, 3]}, routing: adaptive", "0-1"},
		{"topology: {kind: mesh, dims: [4, 3]}, routing: {algorithm: adaptive, escape: stay}", "1-2"},
		{"topology: {kind: dragonfly, p: 1, a: 3, h: 1}, routing: adaptive", "0-1"},
		{"topology: {kind: dragonfly, p: 1, a: 3, h: 1}, routing: ugal-l", "0-1"},
		{"topology: {kind: dragonfly, p: 1, a: 3, h: 1}, routing: ugal-g", "0-1"},
		{"topology: {kind: fully-connected, routers: 4, hosts: 2}, routing: {algorithm: shortest, choice: queue}", "0-1"},
	} {
		c.network += ", router: {vcs: 8}"
		fails := "events: [{link: " + c.link + ", from: 100us"
		if r := timeWith(t, c.network, fails+back+"}]", exchanges); r < 5*fabricast.Millisecond {
			t.Errorf("%s: without new routes no packet waits for the link: %v", c.network, r)
		}
		for _, vcs := range []string{"1", "2"} {
			react := ", reroute: adaptive, vcs: " + vcs + ", detection: 3us, update: 4us"
			for _, end := range []string{back, ""} {
				if r := timeWith(t, c.network, fails+end+"}]"+react, exchanges); r > 400*fabricast.Microsecond {
					t.Errorf("%s, %s VCs: %v", c.network, vcs, r)
				}
			}
			e := faulty(t, c.network, fails+"}]"+react, exchanges)
			f := producttest.Run(t, e, fabricast.Workers(2)).Faults
			if f.Rerouted == 0 || *f.LongestReroute != 7*fabricast.Microsecond {
				t.Errorf("%s: %d packets rerouted after %v", c.network, f.Rerouted, *f.LongestReroute)
			}
		}
	}
}

// TestRandomFaults: the same for any number of workers, others for another seed.
func TestRandomFaults(t *testing.T) {
	const torus = "topology: {kind: torus, dims: [3, 3]}"
	file := filepath.Join(t.TempDir(), "outages.txt")
	if err := os.WriteFile(file, []byte("100us 5us\n200us 20us\n350us 60us\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, random := range []string{"rate: 9000000000, repair: 20us", "file: " + file} {
		seen := map[fabricast.Time]bool{}
		for seed := range uint64(4) {
			e := faulty(t, torus, "random: {"+random+", until: 400us}", exchanges)
			e.Seed = seed + 1
			first := producttest.Run(t, e, fabricast.Workers(1))
			if r := producttest.Run(t, e, fabricast.Workers(3)); r.Hash != first.Hash {
				t.Errorf("%s, seed %d: another result with 3 workers", random, e.Seed)
			}
			seen[first.SimulatedTime] = true
		}
		if len(seen) < 3 {
			t.Errorf("%s: times with four seeds: %v", random, seen)
		}
	}
}

// TestUnreachableRanks: a host that cannot be reached any more ends the run with an error that says what is
// down, and who waits.
func TestUnreachableRanks(t *testing.T) {
	const torus = "topology: {kind: torus, dims: [4]}"
	program := func(r *mpi.Rank) {
		r.Compute(20 * mpi.Microsecond)
		sends(0, 2, 64)(r)
	}
	for _, c := range []struct{ packets, says string }{
		{"", "1 of them; down"},
		{", packets: lose", "1 of them, 1 given up by their NICs; down"},
		{", packets: lose, timeout: 1us", "given up"},
	} {
		_, err := faulty(t, torus, "events: [{switch: 2, from: 10us}]"+c.packets, program).Run(t.Context(), fabricast.Workers(1+len(c.packets)/10))
		var down *fabricast.OutageError
		if !errors.As(err, &down) {
			t.Fatalf("%s: got %v", c.packets, err)
		}
		for _, want := range []string{"switch 2 from 10us on", "rank 2", "from rank 0", c.says} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v does not say %q", err, want)
			}
		}
	}
}

// TestTrafficOverALinkThatStaysDown ends in the same way.
func TestTrafficOverALinkThatStaysDown(t *testing.T) {
	for _, packets := range []string{"", ", packets: lose"} {
		e, err := fabricast.Parse("faults.yaml", "network: {topology: {dims: [4]}}\ntraffic: {load: 0.3}\n"+
			"faults: {events: [{link: 0-1, from: 4us}]"+packets+"}\n")
		if err != nil {
			t.Fatal(err)
		}
		var down *fabricast.OutageError
		if _, err := e.Run(t.Context()); !errors.As(err, &down) || !strings.Contains(err.Error(), "link 0-1 from 4us on") {
			t.Errorf("%s: got %v", packets, err)
		}
	}
}

// TestCutOffBesideTraffic: a program that waits for a link that stays down ends with the same error for any
// number of workers, also beside traffic without an end.
func TestCutOffBesideTraffic(t *testing.T) {
	e, err := fabricast.Parse("faults.yaml", "network: {topology: {kind: torus, dims: [4, 4]}}\njobs:\n"+
		"- {name: work, ranks: 8, workload: {program: alltoall, algorithm: ring, size: 4KiB}}\n"+
		"- {name: noise, ranks: 8, traffic: {load: 20%}}\nfaults: {events: [{link: 0-1, from: 1us}]}\n")
	if err != nil {
		t.Fatal(err)
	}
	var first string
	for workers := 1; workers <= 3; workers++ {
		_, err := e.Run(t.Context(), fabricast.Workers(workers))
		var down *fabricast.OutageError
		if !errors.As(err, &down) || !strings.Contains(err.Error(), "link 0-1 from 1us on") || !strings.Contains(err.Error(), "job work") {
			t.Fatalf("got %v", err)
		}
		if first == "" {
			first = err.Error()
		}
		if err.Error() != first {
			t.Errorf("%d workers: %v, want %s", workers, err, first)
		}
	}
}

// TestWrongOutageTables: each is refused with its line.
func TestWrongOutageTables(t *testing.T) {
	file := filepath.Join(t.TempDir(), "outages.txt")
	for _, c := range []struct{ text, repair, field, says string }{
		{"# none\n", "", "times", "lines with the time of a link in service"},
		{"3us 1us\n4us\n", "", "times", "two times, in service and to repair"},
		{"3us\n3us 1us\n", ", repair: 1us", "times", "as faults.random.repair has the mean"},
		{"3us 1us\n4 1us\n", "", "times", "a time in service such as 40ms"},
		{"3us 1us\n1ps 1us\n", "", "times", "at least 1ns"},
		{"3us 1us\n5us 1ps\n", "", "times", "a time to repair from 1ns"},
		{"3us 1us\n5us soon\n", "", "times", "a time to repair such as"},
		{"1ns 1ns\n", "", "faults.random.file", "longer times in service"},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		e, err := fabricast.Parse("faults.yaml", "network: {topology: {kind: torus, dims: [4]}}\nworkload: {program: barrier}\n"+
			"faults: {random: {until: 1ms, file: "+file+c.repair+"}}\n")
		if err == nil {
			_, err = e.Run(t.Context())
		}
		var wrong *fabricast.ConfigError
		if !errors.As(err, &wrong) {
			t.Errorf("%q: got %v", c.text, err)
			continue
		}
		p, line := wrong.Problems()[0], strings.Count(c.text, "\n")
		if p.Field != c.field || !strings.Contains(p.Expected, c.says) || p.Found == "" {
			t.Errorf("%q: got %+v", c.text, p)
		}
		if c.field == "times" && (p.File != file || p.Line != line) {
			t.Errorf("%q: placed in %s:%d", c.text, p.File, p.Line)
		}
	}
}

// TestWrongFaults: each is refused with its place, what was found and what was expected.
func TestWrongFaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "faults.txt")
	const ring = "topology: {kind: torus, dims: [4]}"
	for _, c := range []struct{ network, faults, file, field, says string }{
		{ring, "events: [{link: 0-2, from: 1us}]", "", "faults.events[0].link", "joined by a link"},
		{ring, "events: [{link: 0-9, from: 1us}]", "", "faults.events[0].link", "two routers"},
		{ring, "events: [{switch: 9, from: 1us}]", "", "faults.events[0].switch", "the number or name of a router"},
		{ring, "events: [{link: 0-1, from: 5us, to: 4us}]", "", "faults.events[0].to", "after the fault begins"},
		{ring, "events: [{link: 0-1, from: 5us, to: 5us}]", "", "faults.events[0].to", "after the fault begins"},
		{ring, "events: [{link: 0-1, from: 5us, rate: 100%}]", "", "faults.events[0].rate", "below 1"},
		{ring, "events: [{link: 0-1, from: 5us, announced: 6us}]", "", "faults.events[0].announced", "up to that of the fault"},
		{ring, "events: [{link: 0-1, from: 5us}, {link: 1-0, from: 7us, to: 9us}]", "", "faults.events[1]", "overlap"},
		{ring, "events: [{switch: 1, from: 5us}, {link: 0>1, from: 1us, to: 6us}]", "", "faults.events[1]", "overlap"},
		{ring, "events: [{link: 0-1, from: 5us}, {switch: 1, from: 5us}]", "", "faults.events[1]", "overlap"},
		{ring, "events: [{link: 0-1, from: 0}, {link: 2-3, from: 0}]", "", "faults.events[1]", "leave all hosts connected"},
		{ring, "events: [{switch: 1, from: 0}]", "", "faults.events[0]", "leave all hosts connected"},
		{ring, "events: [{link: 0-1, from: 0, rate: 0.0001%}]", "", "faults.events[0]", "at least"},
		{ring, "events: [{link: 0-1, from: 1us}], reroute: same", "", "faults.reroute", "none"},
		{ring, "events: [{link: 0-1, from: 1us}], reroute: up-down, vcs: 2", "", "faults.vcs", "fewer than"},
		{ring + ", routing: {algorithm: up-down, root: 0}", "events: [{link: 0-3, from: 1us}]", "", "faults.reroute", "no cycle of waiting packets"},
		{ring, "events: [{link: 0-1, from: 1us}], reroute: adaptive, vcs: 1", "", "faults.reroute", "an adaptive network.routing"},
		{ring + ", routing: valiant, router: {vcs: 5}", "events: [{link: 0-1, from: 1us}], reroute: up-down, vcs: 1", "", "faults.reroute", "one route for each pair"},
		{ring + ", routing: adaptive", "events: [{link: 0-1, from: 1us}], reroute: adaptive", "", "faults.vcs", "at least 1"},
		{ring + ", routing: adaptive", "events: [{link: 0-1, from: 1us}], reroute: up-down, vcs: 1", "", "faults.reroute", "none or adaptive"},
		{ring + ", routing: {algorithm: dor, choice: queue}", "events: [{link: 0-1, from: 1us}], reroute: adaptive, vcs: 1", "", "faults.reroute", "avoid their own links only"},
		{ring, "random: {rate: 1%, until: 1ms}", "", "faults.random.repair", "a mean time"},
		{ring, "random: {until: 1ms}", "", "faults.random.rate", "or a faults.random.file"},
		{ring, "random: {rate: 1%, file: x, until: 1ms}", "", "faults.random.rate", "none: faults.random.file"},
		{ring, "random: {file: x}", "", "faults.random.until", "a time up to"},
		{ring, "random: {file: nowhere, until: 1ms}", "", "faults.random.file", "a readable file"},
		{ring, "events: [{link: 0-1, from: -1us}]", "", "faults.events[0].from", "a time such as"},
		{ring, "", "link 0-1 -1us 2us\n", "fault.from", "a time such as"},
		{ring, "", "link 0-1 1us 5us\nlink 1-0 2us 3us\n", "fault", "overlap"},
		{ring, "", "link 0-1 0us -\nlink 2-3 0us -\n", "fault", "leave all hosts connected"},
		{ring, "", "link 0-1 1us 2us\nlink 0-7 3us -\n", "fault.link", "two routers"},
		{ring, "", "link 0-1 1us\n", "fault", "link, switch, plane"},
		{ring, "", "link 0-1 5us 2us # back before\n", "fault.to", "a time after 5us"},
		{ring, "", "link 0-1 5us 5us", "fault.to", "a time after 5us"},
		{ring, "", "\ufeff\r\nlink 0-1 5us - rate=100%\r\n", "fault.rate", "below 1"},
		{ring, "", "link 0-1 5us - rate=0%\n", "fault.rate", "above 0"},
		{ring, "", "nic 9 5us -\n", "fault.nic", "0 to 3"},
		{ring, "", "link 0-1 5us - announced=6us\n", "fault.announced", "up to that of the fault"},
		{ring, "", "link 0-1 5us soon\n", "fault.to", "a time such as"},
		{ring + ", model: loggp", "events: [{link: 0-1, from: 1us}]", "", "faults", "none with network.model"},
		{ring + ", router: {buffers: lossy}", "events: [{host: 1, from: 1us}]", "", "faults.events[0]", "no host with"},
		{ring + ", router: {buffers: lossy}", "events: [{link: 0-1, from: 1us, to: 2us}], packets: retry", "", "faults.packets", "none with"},
		{ring + ", router: {buffers: lossy}", "events: [{link: 0-1, from: 1us}], reroute: up-down", "", "faults.reroute", "same, none with"},
		{ring + ", router: {buffers: lossy}", "events: [{link: 0-1, from: 1us}], vcs: 1", "", "faults.vcs", "no virtual channels"},
		{ring + ", router: {buffers: pfc}", "events: [{link: 0-1, from: 1us}]", "", "node.transport.retransmission", "go-back-n"},
		{ring + ", router: {buffers: lossy}", "", "host 1 1us -\n", "fault", "no host with"},
	} {
		if c.file != "" {
			c.faults = "file: " + file
			if err := os.WriteFile(file, []byte(c.file), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		e, err := fabricast.Parse("faults.yaml", "network: {"+c.network+"}\nworkload: {program: barrier}\nfaults: {"+c.faults+"}\n")
		if err == nil {
			_, err = e.Run(t.Context())
		}
		var wrong *fabricast.ConfigError
		if !errors.As(err, &wrong) {
			t.Errorf("%s%s: got %v", c.faults, c.file, err)
			continue
		}
		p := wrong.Problems()[0]
		if p.Field != c.field || !strings.Contains(p.Expected, c.says) || p.Found == "" || p.Line == 0 {
			t.Errorf("%s%s: got %+v", c.faults, c.file, p)
		}
		if c.file != "" && p.File != file {
			t.Errorf("%s: placed in %s", c.file, p.File)
		}
	}
}
