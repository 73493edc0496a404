package networks

import (
	"errors"
	"strings"
	"testing"

	"fabricast"
	"fabricast/mpi"
	"fabricast/record"
)

// exchange is a program in which ranks 0 and 1 send each other messages, one after the other.
func exchange(r *mpi.Rank) {
	if r.Rank() > 1 {
		return
	}
	for range 20 {
		r.Sendrecv(mpi.Size(4096), 1-r.Rank(), 0, mpi.Size(4096), 1-r.Rank(), 0)
	}
}

// TestNICThatIsDown: both directions of its link wait. A message of a sender that is down from before
// it is posted takes longer by the time until the NIC is up, as does one to a receiver.
func TestNICThatIsDown(t *testing.T) {
	const ring = "topology: {dims: [4]}"
	const down, up = 1 * fabricast.Microsecond, 41 * fabricast.Microsecond
	late := func(r *mpi.Rank) {
		r.Compute(20 * mpi.Microsecond)
		sends(0, 1, 64)(r)
	}
	whole := timeWith(t, ring, "", late)
	// A packet is ready to start at the NIC at 20 us and what its software and fetch take, and at the
	// router's port to the receiver later.
	for _, c := range []struct{ faults, both string }{
		{"events: [{nic: 0, from: 1us, to: 41us}]", ""},
		{"events: [{nic: 1, from: 1us, to: 41us}]", ""},
	} {
		r := timeWith(t, ring, c.faults, late)
		if r <= up || r >= up+whole-20*fabricast.Microsecond || down >= up {
			t.Errorf("%s: %v, without it %v", c.faults, r, whole)
		}
	}
	if r := timeWith(t, ring, "events: [{nic: 2, from: 1us, to: 41us}, {nic: 3, from: 0, to: 1us, rate: 50%}]", late); r != whole {
		t.Errorf("NICs that nobody uses: %v, want %v", r, whole)
	}
}

// TestNICAtAQuarter: a packet takes four times as long to leave its NIC, and four times as long to reach
// it, to the picosecond.
func TestNICAtAQuarter(t *testing.T) {
	const tree = "topology: {dims: [4]}, link: {bandwidth: 4GB/s}, packet: {header: 16B, flit: 16B}"
	const payload, perByte = 240, 250
	const slower = 3 * (payload + 16) * perByte
	whole := timeWith(t, tree, "", sends(0, 1, payload))
	for _, nic := range []string{"0", "1"} {
		r := timeWith(t, tree, "events: [{nic: "+nic+", from: 0, rate: 25%}]", sends(0, 1, payload))
		if r != whole+slower {
			t.Errorf("NIC %s: %v, want %d ps more than %v", nic, r, slower, whole)
		}
	}
}

// TestHostThatGoesDown: its ranks stop, and the run says which do, and who waits for them for ever.
func TestHostThatGoesDown(t *testing.T) {
	for _, workers := range []int{1, 3} {
		e := faulty(t, "topology: {dims: [4]}", "events: [{host: 1, from: 10us}]", exchange)
		_, err := e.Run(t.Context(), fabricast.Workers(workers))
		var stopped *fabricast.StoppedError
		if !errors.As(err, &stopped) {
			t.Fatalf("got %v", err)
		}
		for _, want := range []string{
			"host 1 at 10us", "1 rank stopped: 1; 1 of 4 ranks wait for ever (2 have ended)",
			"rank 0 at ", "from rank 1, which has stopped,",
		} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v does not say %q", err, want)
			}
		}
	}
}

// TestHostThatGoesDownAfterItsRank: a rank that has ended before is no loss.
func TestHostThatGoesDownAfterItsRank(t *testing.T) {
	const ring = "topology: {dims: [4]}"
	whole := timeWith(t, ring, "", exchange)
	if r := timeWith(t, ring, "events: [{host: 1, from: 1ms}]", exchange); r != whole {
		t.Errorf("%v, want %v", r, whole)
	}
	e := faulty(t, ring, "events: [{host: 3, from: 5us, to: 1ms}]", func(r *mpi.Rank) {
		exchange(r)
		r.Compute(9 * mpi.Microsecond)
	})
	var stopped *fabricast.StoppedError
	if _, err := e.Run(t.Context()); !errors.As(err, &stopped) ||
		!strings.Contains(err.Error(), "1 rank stopped: 3; 0 of 4 ranks wait for ever (3 have ended)") {
		t.Errorf("a rank that computes for longer: %v", err)
	}
}

// TestJobsThatGoOn: a job whose host goes down is lost with everyone who waits for it, and messages to it
// hold up nobody: the other job has its result, the same as with any number of workers and engines.
func TestJobsThatGoOn(t *testing.T) {
	const text = "network: {topology: {dims: [8]}}\n" +
		"jobs:\n" +
		"  - {name: lost, ranks: 4, workload: {program: alltoall, algorithm: simple-spread, size: 64KiB}, placement: {order: linear}}\n" +
		"  - {name: kept, ranks: 4, workload: {program: alltoall, algorithm: ring, size: 16KiB}}\n"
	run := func(faults string, options ...fabricast.Option) (*fabricast.Result, error) {
		e, err := fabricast.Parse("jobs.yaml", text+faults)
		if err != nil {
			t.Fatal(err)
		}
		return e.Run(t.Context(), options...)
	}
	const faults = "faults: {events: [{host: 2, from: 20us}]}\n"
	whole, err := run("")
	if err != nil {
		t.Fatal(err)
	}
	first, err := run(faults)
	var stopped *fabricast.StoppedError
	if !errors.As(err, &stopped) || first == nil || first.State != string(record.Stopped) {
		t.Fatalf("%+v: %v", first, err)
	}
	lost, kept := first.Jobs[0], first.Jobs[1]
	if lost.Unfinished == 0 || kept.Unfinished != 0 || kept.Time <= 0 || kept.Time > whole.Jobs[1].Time {
		t.Errorf("lost %+v, kept %+v, both without the fault %+v", lost, kept, whole.Jobs)
	}
	for _, other := range []struct {
		faults string
		o      []fabricast.Option
	}{
		{faults, []fabricast.Option{fabricast.Workers(3)}},
		{strings.Replace(faults, "{events", "{packets: lose, events", 1), nil}, // no link goes down
		{faults + "engine: {mode: optimistic, workers: 2}\n", nil},
	} {
		r, err := run(other.faults, other.o...)
		if !errors.As(err, &stopped) || r == nil || r.Hash != first.Hash || r.Jobs[1].Time != kept.Time || r.Jobs[0].Unfinished != lost.Unfinished {
			t.Errorf("%s: another result: %+v: %v", other.faults, r, err)
		}
	}
}

// TestPlaneThatFails: it is its switches that fail; packets that need it wait until it is back.
func TestPlaneThatFails(t *testing.T) {
	const nodes = "topology: {kind: nodes, count: 3, block: {kind: fully-connected, routers: 2, hosts: 1}, planes: 2, pxn: true, " +
		"outer: {kind: fully-connected, routers: 1, hosts: 3}}, routing: minimal"
	const up = 400 * fabricast.Microsecond
	plane := timeWith(t, nodes, "events: [{plane: 1, from: 100us, to: 400us}]", exchanges)
	// three nodes of two GPUs, then a switch of each plane
	if same := timeWith(t, nodes, "events: [{switch: 7, from: 100us, to: 400us}]", exchanges); plane != same || plane <= up {
		t.Errorf("%v with plane 1 down, want %v as with its switch, after %v", plane, same, up)
	}
	for _, wrong := range []string{"2", "x"} {
		_, err := faulty(t, nodes, "events: [{plane: "+wrong+", from: 1us}]", exchanges).Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), "a number from 0 to 1") {
			t.Errorf("plane %s: %v", wrong, err)
		}
	}
}

// TestWrongFaultsOfHosts: each is refused with its place, what was found and what was expected.
func TestWrongFaultsOfHosts(t *testing.T) {
	const ring = "topology: {dims: [4]}"
	for _, c := range []struct{ faults, field, says string }{
		{"events: [{host: 4, from: 1us}]", "faults.events[0].host", "a number from 0 to 3"},
		{"events: [{host: x, from: 1us}]", "faults.events[0].host", "a number from 0 to 3"},
		{"events: [{nic: -1, from: 1us}]", "faults.events[0].nic", "a number from 0 to 3"},
		{"events: [{plane: 0, from: 1us}]", "faults.events[0].plane", "nodes with an outer one"},
		{"events: [{host: 1, nic: 2, from: 1us}]", "faults.events[0]", "one of link, switch, plane, nic and host"},
		{"events: [{host: 1, from: 1us, rate: 50%}]", "faults.events[0].rate", "none of a host"},
		{"events: [{nic: 1, from: 1us, announced: 0}]", "faults.events[0].announced", "no other links lead to a host"},
		{"events: [{host: 1, from: 0}]", "faults.events[0]", "leave all hosts connected"},
		{"events: [{nic: 1, from: 0, to: 1us}]", "faults.events[0]", "leave all hosts connected"},
		{"events: [{nic: 1, from: 1us}, {host: 1, from: 5us}]", "faults.events[1]", "do not overlap"},
		{"events: [{switch: 1, from: 1us}, {nic: 1, from: 5us}]", "faults.events[1]", "do not overlap"},
		{"events: [{nic: 1, from: 1us, rate: 0.00001%}]", "faults.events[0]", "at least"},
	} {
		_, err := fabricast.Parse("faults.yaml", "network: {"+ring+"}\nworkload: {program: barrier}\nfaults: {"+c.faults+"}\n")
		if err == nil {
			_, err = faulty(t, ring, c.faults, exchange).Run(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), c.field+": ") || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v does not say %q of %s", c.faults, err, c.says, c.field)
		}
	}
	e, err := fabricast.Parse("faults.yaml", "network: {"+ring+"}\ntraffic: {load: 0.1}\nfaults: {events: [{host: 1, from: 1us}]}\n")
	if err == nil {
		_, err = e.Run(t.Context())
	}
	if err == nil || !strings.Contains(err.Error(), "with synthetic traffic") {
		t.Errorf("traffic: %v", err)
	}
}
