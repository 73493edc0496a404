package networks

import (
	"errors"
	"fmt"
	"testing"

	"fabricast"
	"fabricast/internal/producttest"
	"fabricast/mpi"
)

// TestLostPacketIsRepeated: a packet that starts on a link that is down is lost. Its NIC sends it again after
// the timeout, then after twice that, and so on. Each time costs what passes until its tail leaves, too.
func TestLostPacketIsRepeated(t *testing.T) {
	const ring = "topology: {dims: [4]}, link: {latency: 100ns}"
	const timeout = 10 * fabricast.Microsecond
	whole := timeWith(t, ring, "", sends(0, 1, 64))
	lost := func(times int) fabricast.Time {
		up := timeout*((1<<times-1)-1) - timeout/2 // between the last two attempts
		if times == 1 {
			up = timeout / 2
		}
		faults := fmt.Sprintf("packets: lose, timeout: 10us, events: [{link: 0-1, from: 1ns, to: %dps}]", up)
		r := producttest.Run(t, faulty(t, ring, faults, sends(0, 1, 64)))
		if r.Faults.Lost != int64(times) || r.Faults.Repeated != int64(times) {
			t.Errorf("up after %v: %d packets lost, %d repeated, want %d", up, r.Faults.Lost, r.Faults.Repeated, times)
		}
		return timeWith(t, ring, faults, sends(0, 1, 64))
	}
	each := lost(1) - whole - timeout
	if each <= 0 || each >= whole {
		t.Fatalf("%v until the tail leaves, in all %v", each, whole)
	}
	for times := 2; times <= 4; times++ {
		want := whole + timeout*(1<<times-1) + fabricast.Time(times)*each
		if got := lost(times); got != want {
			t.Errorf("%d times lost: %v, want %v", times, got, want)
		}
	}
}

// TestPacketsOnTheWireAreLost: a link that goes down for 1 ns loses a packet from its start until its tail is at
// the other end: between routers, from a NIC and to one. The NIC sends it again, once.
func TestPacketsOnTheWireAreLost(t *testing.T) {
	const ring = "topology: {dims: [4]}, link: {latency: 100ns, bandwidth: 1GB/s}, " +
		"router: {latency: 20ns, switch_traversal: 0ns, bandwidth: 1GB/s}"
	whole := timeWith(t, ring, "", sends(0, 1, 64))
	for part, flight := range map[string]int{"link: 0-1": 120 + 64, "nic: 0": 100 + 64, "nic: 1": 120 + 64} {
		var lost []int
		for at := 1; fabricast.Time(at)*fabricast.Nanosecond < whole; at++ {
			faults := fmt.Sprintf("packets: lose, timeout: 10us, events: [{%s, from: %dns, to: %dns}]", part, at, at+1)
			f := producttest.Run(t, faulty(t, ring, faults, sends(0, 1, 64))).Faults
			if f.Lost > 1 || f.Repeated != f.Lost {
				t.Fatalf("%s at %d ns: %d packets lost, %d repeated", part, at, f.Lost, f.Repeated)
			}
			if f.Lost == 1 {
				lost = append(lost, at)
			}
		}
		if len(lost) == 0 || lost[len(lost)-1]-lost[0] != len(lost)-1 || len(lost) < flight-1 || len(lost) > flight+1+32 {
			t.Errorf("%s: lost if down at %v, want %d ns and a header", part, lost, flight)
		}
	}
}

// TestNoPacketWaitsForADeadLink: a link that fails for good without an announcement ends no run and loses no
// message, with tables, which change 2 us later, and with adaptive routing, which knows at once. Minimal routing
// without tables has no other way between some hosts: there the link comes back.
func TestNoPacketWaitsForADeadLink(t *testing.T) {
	const more = "packets: lose, detection: 1us, update: 1us"
	for _, c := range []struct{ network, reroute, event string }{
		{"topology: {kind: fat-tree, radix: 8, levels: 2}, routing: shortest", "same", "link: 0-8"},
		{"topology: {kind: torus, dims: [4, 4]}, router: {vcs: 3}", "up-down, vcs: 1", "link: 0-1"},
		{"topology: {kind: torus, dims: [4, 4]}, routing: adaptive", "none", "link: 0-1, to: 60us"},
		{"topology: {kind: torus, dims: [4, 4]}, routing: adaptive, router: {vcs: 5}", "adaptive, vcs: 2", "link: 0-1"},
		{"topology: {kind: dragonfly, p: 2, a: 4, h: 2}, routing: ugal-g", "none", "link: 0-1, to: 60us"},
		{"topology: {kind: torus, dims: [4, 4]}", "none", "link: 0-1, to: 60us"},
		{"topology: {kind: fat-tree, radix: 8, levels: 2}, routing: nca", "none", "link: 0-8, to: 60us"},
		{"topology: {kind: fat-tree, radix: 8, levels: 2}, routing: shortest, router: {output_buffer: 8KiB}", "same", "link: 0-8"},
	} {
		faults := func(packets string) string {
			return fmt.Sprintf("reroute: %s, %s, events: [{%s, from: 3us}]", c.reroute, packets, c.event)
		}
		e := faulty(t, c.network, faults(more), floods)
		first := producttest.Run(t, e, fabricast.Workers(1))
		if f := first.Faults; f.Lost != f.Repeated || f.Lost == 0 {
			t.Errorf("%s: %d packets lost, %d repeated", c.network, f.Lost, f.Repeated)
		}
		if r := producttest.Run(t, e, fabricast.Workers(3)); r.Hash != first.Hash {
			t.Errorf("%s: another result with 3 workers", c.network)
		}
		t.Logf("%s, %s: %v, %d lost", c.network, c.reroute, first.SimulatedTime, first.Faults.Lost)
		if c.reroute != "same" {
			continue
		}
		var down *fabricast.OutageError
		if _, err := faulty(t, c.network, faults("packets: drain, detection: 1us, update: 1us"), floods).Run(t.Context()); !errors.As(err, &down) {
			t.Errorf("%s: packets that wait: %v", c.network, err)
		}
	}
}

// floods is a program in which all ranks send to all at once.
func floods(r *mpi.Rank) {
	var all []mpi.Request
	for i := 1; i < r.Size(); i++ {
		from, to := (r.Rank()-i+r.Size())%r.Size(), (r.Rank()+i)%r.Size()
		all = append(all, r.Irecv(mpi.Size(8192), from, 0), r.Isend(mpi.Size(8192), to, 0))
	}
	r.WaitAll(all)
}

// TestOrderOfLostMessages: messages between two ranks match receives in their order, also if packets of
// earlier ones are lost and come later.
func TestOrderOfLostMessages(t *testing.T) {
	sizes := []int{3000, 10, 20_000, 100, 7}
	program := func(r *mpi.Rank) {
		for i, size := range sizes {
			switch r.Rank() {
			case 0:
				r.Send(mpi.Size(size), 1, 0)
				r.Compute(mpi.Duration(i+1) * 100 * mpi.Nanosecond)
			case 1:
				if got := r.Recv(mpi.Size(20_000), 0, 0); got.Size != size {
					t.Errorf("message %d has %d bytes, want %d", i, got.Size, size)
				}
			}
		}
	}
	const faults = "packets: lose, timeout: 2us, events: [{link: 0-1, from: 1ns, to: 900ns}]"
	r := producttest.Run(t, faulty(t, "topology: {dims: [4]}", faults, program))
	if r.Faults.Lost == 0 || r.Faults.Lost != r.Faults.Repeated {
		t.Errorf("%d packets lost, %d repeated", r.Faults.Lost, r.Faults.Repeated)
	}
}
