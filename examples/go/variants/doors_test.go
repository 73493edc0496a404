package main

import (
	"testing"

	"fabricast"
	"fabricast/collective"
	"fabricast/fabric"
	"fabricast/mpi"
	"fabricast/topology"
)

// makeDoors is what Network.Doors is.
type makeDoors = func(t topology.Topology, vcs int) (*fabric.Doors, error)

// runDoors runs a program with doors, with one worker and with several, which must agree.
func runDoors(t *testing.T, network string, doors makeDoors, program func(*mpi.Rank)) *fabricast.Result {
	t.Helper()
	e, err := fabricast.Parse("doors.yaml", "network: {"+network+"}\nworkload: {program: barrier}")
	if err != nil {
		t.Fatal(err)
	}
	e.Workload, e.Program, e.Network.Doors = fabricast.Workload{}, program, doors
	r, first := outcome(t, e, 1)
	for workers := 2; workers <= 3; workers++ {
		if _, other := outcome(t, e, workers); other != first {
			t.Errorf("another result with %d workers:\n%s\n%s", workers, first, other)
		}
	}
	return r
}

// TestMarksHelpAVictim: where several hosts send to one, another message that shares a buffer with theirs is
// there sooner if marks make them slower, and theirs are not much later.
func TestMarksHelpAVictim(t *testing.T) {
	const network = "topology: {kind: fully-connected, routers: 3, hosts: 3}, router: {vcs: 1, buffer: 16KiB}"
	times := func(doors makeDoors) (victim, all mpi.Duration) {
		runDoors(t, network, doors, func(r *mpi.Rank) {
			switch rank := r.Rank(); rank {
			case 0: // the hot spot
				for _, from := range []int{3, 4, 6, 7} {
					r.Recv(mpi.Size(200_000), from, 0)
				}
				all = r.Now()
			case 3, 4, 6, 7:
				r.Send(mpi.Size(200_000), 0, 0)
			case 5:
				r.Send(mpi.Size(50_000), 1, 0)
			case 1:
				r.Recv(mpi.Size(50_000), 5, 0)
				victim = r.Now()
			}
		})
		return victim, all
	}
	victim, all := times(nil)
	spared, marked := times(ecn{queue: 128, perFlit: 2000}.doors)
	if spared >= victim*3/4 || marked > all*5/4 {
		t.Errorf("the victim takes %v with marks and %v without, the others %v and %v", spared, victim, marked, all)
	}
}

// TestSwitchesAdd: each host gets the sum of all, sooner than by software.
func TestSwitchesAdd(t *testing.T) {
	const network = "topology: {kind: fat-tree, radix: 8, levels: 2}"
	const hosts, tag = 32, 7
	r := &reduction{tag: tag}
	switches := runDoors(t, network, r.doors, func(rank *mpi.Rank) {
		partner := rank.Rank() ^ 1 // at the same leaf
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

// TestPacketsGoRoundALink: while a link has failed, adaptive routing goes round it, and tables do in
// an epoch of their own. Without one, packets wait until the link is back.
func TestPacketsGoRoundALink(t *testing.T) {
	const topology = "topology: {kind: fully-connected, routers: 4, hosts: 2}"
	const down, up = 100 * fabricast.Microsecond, 5 * fabricast.Millisecond
	run := func(network string, doors makeDoors) fabricast.Time {
		r := runDoors(t, topology+network, doors, func(rank *mpi.Rank) {
			exchange(rank)
			if now := rank.Now(); now < 200*mpi.Microsecond {
				rank.Compute(200*mpi.Microsecond - now)
			}
			exchange(rank)
		})
		return r.SimulatedTime
	}
	f := failure{a: 0, b: 1, down: down, up: up}
	for _, network := range []string{", router: {vcs: 3}", ", routing: ugal-l"} {
		whole := run(network, nil)
		if waits := run(network, f.doors); network == ", router: {vcs: 3}" && waits <= up {
			t.Errorf("%s: packets do not wait for the link: %v", network, waits)
		} else if network != ", router: {vcs: 3}" && (waits >= up/10 || waits <= whole) {
			t.Errorf("%s: %v, without the failure %v", network, waits, whole)
		}
	}
	f.tables = true
	if around, whole := run(", router: {vcs: 3}", f.doors), run(", router: {vcs: 3}", nil); around >= up/10 ||
		around <= whole {
		t.Errorf("with tables %v, without the failure %v", around, whole)
	}
}

// exchange sends a message from each rank to each other.
func exchange(rank *mpi.Rank) {
	var all []mpi.Request
	for other := range rank.Size() {
		if other != rank.Rank() {
			all = append(all, rank.Irecv(mpi.Size(4000), other, 0), rank.Isend(mpi.Size(4000), other, 0))
		}
	}
	rank.WaitAll(all)
}

// TestDoorsThatDoNotFit: doors that a network cannot have are refused with their name.
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
