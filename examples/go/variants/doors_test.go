package main

import (
	"testing"

	"fabricast"
	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/mpi"
	"fabricast/topology"
)

// makeDoors is the type of Network.Doors.
type makeDoors = func(t topology.Topology, vcs int) (*fabric.Doors, error)

// runDoors runs a program with doors, once with one worker and once with several. Both results must
// be equal.
func runDoors(t *testing.T, network string, doors makeDoors, program func(*mpi.Rank)) *fabricast.Result {
	t.Helper()
	e, err := fabricast.Parse("doors.yaml", "network: {"+network+"}\nworkload: {program: barrier}")
	if err != nil {
		t.Fatal(err)
	}
	e.Workload, e.Program, e.Network.Doors = experiment.Workload{}, program, doors
	r, first := outcome(t, e, 1)
	for workers := 2; workers <= 3; workers++ {
		if _, other := outcome(t, e, workers); other != first {
			t.Errorf("another result with %d workers:\n%s\n%s", workers, first, other)
		}
	}
	return r
}

// TestMarksHelpAVictim: four hosts send to one host. Meanwhile a message to another host shares a
// buffer with packets of one of them. With marks it must take half as long, while the four hosts
// are hardly later.
func TestMarksHelpAVictim(t *testing.T) {
	const network = "topology: {kind: fully-connected, routers: 5, hosts: 2}, router: {vcs: 1}"
	const late = 50 * mpi.Microsecond
	times := func(doors makeDoors) (victim, all mpi.Duration) {
		runDoors(t, network, doors, func(r *mpi.Rank) {
			switch rank := r.Rank(); rank {
			case 0: // the hot spot
				for from := 2; from <= 8; from += 2 {
					r.Recv(mpi.Size(400_000), from, 0)
				}
				all = r.Now()
			case 2, 4, 6, 8:
				r.Send(mpi.Size(400_000), 0, 0)
			case 1:
				r.Recv(mpi.Size(100_000), 3, 0)
				victim = r.Now() - late
			case 3: // at the same router as host 2
				r.Compute(late)
				r.Send(mpi.Size(100_000), 1, 0)
			}
		})
		return victim, all
	}
	victim, all := times(nil)
	spared, marked := times(ecn{queue: 256, perFlit: 2000, again: 3_000_000, growth: 16}.doors)
	if spared > victim/2 || marked > all*21/20 {
		t.Errorf("the victim takes %v with marks and %v without, the others %v and %v", spared, victim, marked, all)
	}
}

// TestWindows checks that halving a window that is the bottleneck doubles the time. A window larger
// than the capacity of the network changes nothing, and one smaller than a packet permits single
// packets.
func TestWindows(t *testing.T) {
	const network = "topology: {kind: fully-connected, routers: 2, hosts: 1}, link: {latency: 2us}, " +
		"packet: {mtu: 512B, header: 0B, flit: 16B}, router: {buffer: 256KiB}"
	times := func(doors makeDoors) fabricast.Time {
		return runDoors(t, network, doors, func(r *mpi.Rank) {
			if r.Rank() == 0 {
				r.Send(mpi.Size(1<<20), 1, 0)
			} else {
				r.Recv(mpi.Size(1<<20), 0, 0)
			}
		}).SimulatedTime
	}
	const packet = 512 / 16
	free, wide := times(nil), times(window{1 << 20}.doors)
	none, one := times(window{0}.doors), times(window{packet}.doors)
	two, four := times(window{2 * packet}.doors), times(window{4 * packet}.doors)
	if none != one || one < two*19/10 || one > two*21/10 {
		t.Errorf("with windows of 0 flits %v, 1 packet %v, 2 packets %v", none, one, two)
	}
	if wide != free || two < four*19/10 || two > four*21/10 || four < 2*free {
		t.Errorf("without a window %v, with windows of 1 Mi flits %v, 4 packets %v, 2 packets %v", free, wide, four, two)
	}
}

// TestSwitchesAdd checks that each host gets the sum of all operands, sooner than by software.
func TestSwitchesAdd(t *testing.T) {
	const network = "topology: {kind: fat-tree, radix: 8, levels: 2}"
	const hosts, tag = 32, 7
	r := &reduction{tag: tag}
	switches := runDoors(t, network, r.doors, func(rank *mpi.Rank) {
		partner := rank.Rank() ^ 1 // at the same leaf switch
		buf := mpi.Size(8)
		q := rank.Irecv(buf, partner, tag)
		rank.Send(buf, partner, tag)
		rank.Wait(q)
	})
	for nic, sum := range r.results {
		if sum != hosts*(hosts+1)/2 {
			t.Errorf("NIC %d got %d", nic, sum)
		}
	}
	software := runDoors(t, network, nil, func(rank *mpi.Rank) {
		rank.Allreduce(mpi.Size(8), mpi.Size(8), collective.SumInt64, "")
	})
	if switches.SimulatedTime >= software.SimulatedTime {
		t.Errorf("%v in switches, %v by software", switches.SimulatedTime, software.SimulatedTime)
	}
}

// TestPacketsGoRoundALink checks that packets avoid a failed link by adaptive routing, or by tables
// in an epoch. Without an epoch, packets wait until the link has recovered.
func TestPacketsGoRoundALink(t *testing.T) {
	const up = 5 * fabricast.Millisecond
	f := failure{a: 0, b: 1, down: 100 * fabricast.Microsecond, up: up}
	run := func(network string, doors makeDoors) fabricast.Time {
		return runDoors(t, network, doors, func(rank *mpi.Rank) {
			exchange(rank)
			rank.Compute(200*mpi.Microsecond - rank.Now()) // meanwhile the link fails
			exchange(rank)
		}).SimulatedTime
	}
	const single = "topology: {kind: fully-connected, routers: 4, hosts: 2}, router: {vcs: 3}"
	const twofold = "topology: {kind: fully-connected, routers: 4, hosts: 2, width: [2]}, routing: adaptive"
	whole := run(single, nil)
	if waits := run(single, f.doors); waits <= up {
		t.Errorf("packets do not wait for the link: %v", waits)
	}
	tables := f
	tables.tables = true
	if around := run(single, tables.doors); around <= whole || around >= up/10 {
		t.Errorf("with tables %v, without the failure %v", around, whole)
	}
	if round, whole := run(twofold, f.doors), run(twofold, nil); round >= up/10 {
		t.Errorf("adaptive: %v, without the failure %v", round, whole)
	}
}

// exchange sends a message from each rank to every other rank.
func exchange(rank *mpi.Rank) {
	var all []mpi.Request
	for other := range rank.Size() {
		if other != rank.Rank() {
			all = append(all, rank.Irecv(mpi.Size(4000), other, 0), rank.Isend(mpi.Size(4000), other, 0))
		}
	}
	rank.WaitAll(all)
}

// TestDoorsThatDoNotFit checks that doors that do not support a network are refused by name.
func TestDoorsThatDoNotFit(t *testing.T) {
	r := &reduction{tag: 1}
	e, err := fabricast.Parse("doors.yaml", "network: {topology: {dims: [4]}, routing: adaptive}\nworkload: {program: barrier}")
	if err != nil {
		t.Fatal(err)
	}
	e.Network.Doors = r.doors
	if _, err := e.Preview(); err == nil {
		t.Error("an agent with adaptive routing is not refused")
	}
}
