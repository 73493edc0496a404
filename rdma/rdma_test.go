package rdma_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/collective"
	"fabricast/fabric"
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/node/nodetest"
	"fabricast/rdma"
)

// spec is nodes with costs that are easy to tell apart: 1000 ps for each call, 10 ps for each byte
// copied. Two ranks are on each host if paired.
func spec(ranks int, paired bool) node.Spec {
	s := node.Spec{
		Hosts: ranks, NICsPerHost: 1, Overhead: 1000, Memory: 1e11, Replies: true,
		Intra: node.Intra{Latency: 70_000, Bandwidth: 5e10}, // 20 ps a byte
	}
	for i := range ranks {
		host := i
		if paired {
			host /= 2
		}
		s.HostOf = append(s.HostOf, int32(host))
	}
	return s
}

// try runs a program on a network where a message of n bytes takes 50000 + 3n ps.
func try(t testing.TB, s node.Spec, main func(*mpi.Rank)) *node.World {
	t.Helper()
	w, err := node.NewWorld(s, mpi.Programs(main))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	network := &nodetest.Network{Latency: 50_000, ByteTime: 3, ReadTime: 2}
	network.Run(w, s.Hosts, s.NICsPerHost)
	if n := network.Live(); w.Err() == nil && n != 0 {
		t.Errorf("%d messages have not been released", n)
	}
	return w
}

func run(t testing.TB, s node.Spec, main func(*mpi.Rank)) *node.World {
	t.Helper()
	w := try(t, s, main)
	if w.Err() != nil || w.Finished() != len(s.HostOf) {
		t.Fatalf("%v, %v", w.Err(), w.Deadlock())
	}
	return w
}

// at demands a time of a rank's clock.
func at(t testing.TB, r *mpi.Rank, what string, want mpi.Duration) {
	t.Helper()
	if r.Now() != want {
		t.Errorf("%s: %d ps, want %d", what, r.Now(), want)
	}
}

func TestPutTakesItsTime(t *testing.T) {
	for _, oneCopy := range []bool{false, true} {
		s := spec(2, false)
		s.OneCopy = oneCopy // only messages are copied
		w := run(t, s, func(r *mpi.Rank) {
			nic := rdma.Open(r)
			if r.Rank() == 1 {
				if s := nic.Poll(7); s != (mpi.Status{Source: 0, Tag: 7, Size: 100}) {
					t.Errorf("polled %+v", s)
				}
				at(t, r, "polled", 1000+50_300+1000)
				return
			}
			h := nic.Put(mpi.Size(100), rdma.At(1), 7)
			at(t, r, "put", 1000)
			if _, done := nic.Test(h); done {
				t.Error("complete at once")
			}
			at(t, r, "tested", 2000)
			nic.Complete(h)
			at(t, r, "complete", 1000+50_300+50_000)
		})
		if s := w.Stats(); s.Messages != 1 || s.Bytes != 100 || s.Latency.Max() != 51_300 {
			t.Errorf("%d messages of %d bytes, at most %d ps", s.Messages, int64(s.Bytes), s.Latency.Max())
		}
		if a, b := w.Record(0), w.Record(1); a.MessagesSent != 1 || a.BytesSent != 100 ||
			b.MessagesReceived != 1 ||
			b.BytesReceived != 100 {
			t.Errorf("%+v\n%+v", a, b)
		}
	}
}

func TestGetAndAtomicsTakeTheirTime(t *testing.T) {
	w := run(t, spec(2, false), func(r *mpi.Rank) {
		nic := rdma.Open(r)
		if r.Rank() == 1 {
			r.Compute(mpi.Microsecond) // the target takes no part
			at(t, r, "target", mpi.Microsecond)
			return
		}
		nic.Complete(nic.Get(mpi.Size(100), rdma.At(1)))
		at(t, r, "get", 1000+50_000+50_300)
		r.Compute(200_000 - r.Now())
		nic.Complete(nic.FetchAdd(rdma.At(1), 1))
		at(t, r, "fetch-add", 200_000+1000+50_024+50_024)
		r.Compute(400_000 - r.Now())
		nic.Complete(nic.CompareAndSwap(rdma.At(1), 1, 2))
		at(t, r, "compare-and-swap", 400_000+1000+50_048+50_024)
	})
	if s := w.Stats(); s.Messages != 3 || s.Bytes != 116 {
		t.Errorf("%d messages of %d bytes", s.Messages, int64(s.Bytes))
	}
}

// Within a host the origin's processor does the work.
func TestOperationsWithinAHostTakeTheirTime(t *testing.T) {
	run(t, spec(4, true), func(r *mpi.Rank) {
		nic := rdma.Open(r)
		switch r.Rank() {
		case 2:
			h := nic.Put(mpi.Size(6), rdma.At(3), 1)
			at(t, r, "put", 1120)
			nic.Complete(h)
			at(t, r, "put complete", 71_120)
			nic.Complete(nic.Get(mpi.Size(6), rdma.At(3)))
			at(t, r, "get", 71_120+1120+70_000)
			nic.Complete(nic.Swap(rdma.At(3), 9))
			at(t, r, "swap", 71_120+71_120+1160+70_000)
			nic.Complete(nic.Put(mpi.Size(6), rdma.At(2), 5))
			at(t, r, "put to itself", 71_120+71_120+71_160+1060)
			nic.Poll(5)
		case 3:
			nic.Poll(1)
			at(t, r, "polled", 71_120+1000)
		}
	})
}

func TestContentsArrive(t *testing.T) {
	for _, paired := range []bool{false, true} {
		run(t, spec(4, paired), func(r *mpi.Rank) {
			nic, n := rdma.Open(r), r.Size()
			memory := make([]byte, 32)
			region := nic.Register(mpi.Data(memory))
			text := []byte{'a' + byte(r.Rank())}
			var handles []rdma.Handle
			for to := range n {
				handles = append(handles, nic.Put(mpi.Data(text), region.At(to, r.Rank()), 3))
			}
			text[0] = '?' // the contents are those at the time of the call
			for range n {
				nic.Poll(3)
			}
			if string(memory[:n]) != "abcd" {
				t.Errorf("rank %d has %q", r.Rank(), memory[:n])
			}
			for _, h := range handles {
				nic.Complete(h)
			}
			r.Barrier(collective.Default)
			got := make([]byte, 2)
			nic.Complete(nic.Get(mpi.Data(got), region.At((r.Rank()+1)%n, 1)))
			if string(got) != "bc" {
				t.Errorf("rank %d got %q", r.Rank(), got)
			}
		})
	}
}

func TestAtomicsCountEachOther(t *testing.T) {
	for _, paired := range []bool{false, true} {
		const ranks, each = 6, 5
		var tickets [ranks][]int64
		counter := make([]byte, 16)
		run(t, spec(ranks, paired), func(r *mpi.Rank) {
			nic := rdma.Open(r)
			region := nic.Register(mpi.Data(counter)) // only rank 0's is used
			for range each {
				tickets[r.Rank()] = append(tickets[r.Rank()], nic.Complete(nic.FetchAdd(region.At(0, 8), 1)))
			}
		})
		var all []int64
		for _, own := range tickets {
			all = append(all, own...)
		}
		slices.Sort(all)
		for i, ticket := range all {
			if ticket != int64(i) {
				t.Fatalf("tickets %v", all)
			}
		}
		if got := binary.LittleEndian.Uint64(counter[8:]); got != ranks*each {
			t.Errorf("counter %d", got)
		}
	}
}

func TestSwapAndCompareAndSwap(t *testing.T) {
	run(t, spec(2, false), func(r *mpi.Rank) {
		nic := rdma.Open(r)
		word := nic.Register(mpi.Data(make([]byte, 8)))
		if r.Rank() == 1 {
			return
		}
		place := word.At(1, 0)
		for _, step := range []struct{ found, want int64 }{
			{nic.Complete(nic.Swap(place, -5)), 0},
			{nic.Complete(nic.CompareAndSwap(place, 1, 2)), -5},
			{nic.Complete(nic.CompareAndSwap(place, -5, 2)), -5},
			{nic.Complete(nic.FetchAdd(place, -3)), 2},
		} {
			if step.found != step.want {
				t.Errorf("found %d, want %d", step.found, step.want)
			}
		}
		h := nic.Swap(place, 0)
		for {
			if found, done := nic.Test(h); done {
				if found != -1 {
					t.Errorf("found %d", found)
				}
				return
			}
		}
	})
}

func TestWrongUseEndsTheRun(t *testing.T) {
	for want, main := range map[string]func(*mpi.Rank, rdma.NIC){
		"put: rank 2 of a world with ranks 0 to 1": func(_ *mpi.Rank, n rdma.NIC) { n.Put(mpi.Size(1), rdma.At(2), 0) },
		"get: rank -1 of":                          func(_ *mpi.Rank, n rdma.NIC) { n.Get(mpi.Size(1), rdma.At(-1)) },
		"put with tag -2":                          func(_ *mpi.Rank, n rdma.NIC) { n.Put(mpi.Size(1), rdma.At(1), -2) },
		"put of -1 bytes":                          func(_ *mpi.Rank, n rdma.NIC) { n.Put(mpi.Size(-1), rdma.At(1), 0) },
		"atomic operation on byte 4":               func(_ *mpi.Rank, n rdma.NIC) { n.FetchAdd(rdma.Region(1).At(1, 4), 0) },
		"get: region -1 of rank 1":                 func(_ *mpi.Rank, n rdma.NIC) { n.Get(mpi.Size(1), rdma.Region(-1).At(1, 0)) },
		"poll for a put of rank 9":                 func(_ *mpi.Rank, n rdma.NIC) { n.PollFrom(9, 0) },
		"poll with tag -2":                         func(_ *mpi.Rank, n rdma.NIC) { n.Poll(-2) },
		"region 2 is not registered":               func(_ *mpi.Rank, n rdma.NIC) { n.Unregister(2) },
		"put by NIC option 2: expected 1 to 1":     func(_ *mpi.Rank, n rdma.NIC) { n.PutWith(mpi.Size(1), rdma.At(1), 0, mpi.Options{NIC: 2}) },
		"get by NIC option 2: expected 1 to 1":     func(_ *mpi.Rank, n rdma.NIC) { n.GetWith(mpi.Size(1), rdma.At(1), mpi.Options{NIC: 2}) },
		"atomic operation by NIC option 2":         func(_ *mpi.Rank, n rdma.NIC) { n.With(mpi.Options{NIC: 2}).Swap(rdma.At(1), 1) },
		"put with a gap of 16777217 packet times":  func(_ *mpi.Rank, n rdma.NIC) { n.PutWith(mpi.Size(1), rdma.At(1), 0, mpi.Options{Gap: 1<<24 + 1}) },
		"get with protocol node.Eager: expected only a NIC and a gap": func(_ *mpi.Rank, n rdma.NIC) {
			n.GetWith(mpi.Size(1), rdma.At(1), mpi.Options{Protocol: node.Eager})
		},
		"has no such options": func(_ *mpi.Rank, n rdma.NIC) {
			n.PutWith(mpi.Size(1), rdma.At(1), 0, mpi.Options{Copies: node.OneCopy})
		},
		"put of rank 0: 5 bytes from byte 60 on are not within region 1 of rank 1, which has 64 bytes": func(_ *mpi.Rank, n rdma.NIC) {
			n.Put(mpi.Size(5), rdma.Region(1).At(1, 60), 0)
		},
		"get of rank 0: 5 bytes from byte -1 on":             func(_ *mpi.Rank, n rdma.NIC) { n.Get(mpi.Size(5), rdma.Region(1).At(1, -1)) },
		"atomic operation of rank 0: rank 1 has no region 7": func(_ *mpi.Rank, n rdma.NIC) { n.Swap(rdma.Region(7).At(1, 0), 0) },
		"the request is not active": func(_ *mpi.Rank, n rdma.NIC) {
			h := n.Put(mpi.Size(1), rdma.At(1), rdma.NoTag)
			n.Complete(h)
			n.Complete(h)
		},
	} {
		for _, paired := range []bool{false, true} {
			w := try(t, spec(2, paired), func(r *mpi.Rank) {
				n := rdma.Open(r)
				n.Register(mpi.Size(64))
				if r.Rank() == 0 {
					main(r, n)
				}
			})
			var failed *node.RankError
			if !errors.As(w.Err(), &failed) || failed.Rank != 0 || !strings.Contains(failed.Error(), want) {
				t.Errorf("%v, want %q of rank 0", w.Err(), want)
			}
			if _, place, placed := strings.Cut(w.Err().Error(), ", at "); placed &&
				!strings.HasPrefix(place, "rdma_test.go:") {
				t.Errorf("%v, want the line of rdma_test.go", w.Err())
			}
		}
	}
}

func TestClosedRegionsAreRefused(t *testing.T) {
	w := try(t, spec(2, false), func(r *mpi.Rank) {
		n := rdma.Open(r)
		region := n.Register(mpi.Size(64))
		if r.Rank() == 1 {
			n.Unregister(region)
			return
		}
		n.Put(mpi.Size(1), region.At(1, 0), 0)
	})
	if err := w.Err(); err == nil || !strings.Contains(err.Error(), "put of rank 0: rank 1 has no region 1") {
		t.Error(err)
	}
}

func TestWorldsWithoutRepliesRefuse(t *testing.T) {
	s := spec(2, false)
	s.Replies = false
	w := try(t, s, func(r *mpi.Rank) { rdma.Open(r).Put(mpi.Size(1), rdma.At(0), 0) })
	if err := w.Err(); err == nil || !strings.Contains(err.Error(), "set Replies") {
		t.Error(err)
	}
}

func TestPollsInVainAreExplained(t *testing.T) {
	w := try(t, spec(2, false), func(r *mpi.Rank) {
		n := rdma.Open(r)
		if r.Rank() == 0 {
			n.PutDetached(mpi.Size(1), rdma.At(1), 8)
		}
		n.PollFrom(1-r.Rank(), 9)
	})
	err := w.Deadlock()
	if err == nil ||
		!strings.Contains(err.Error(), "rank 1 at 0 ps waits for a put from rank 0 with tag 9") ||
		!strings.Contains(err.Error(), "cycle") {
		t.Error(err)
	}
}

// TestPutsThatNobodyPollsForAreNotLost counts as lost the messages that no receive has met, and none
// of the puts, for which nobody has to poll.
func TestPutsThatNobodyPollsForAreNotLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		count := rapid.IntRange(0, 4)
		puts, detached, polled := count.Draw(rt, "puts"), count.Draw(rt, "detached"), count.Draw(rt, "polled")
		sends, received := count.Draw(rt, "sends"), count.Draw(rt, "received")
		polled, received = min(polled, puts+detached), min(received, sends)
		w := run(t, spec(3, rapid.Bool().Draw(rt, "paired")), func(r *mpi.Rank) {
			n := rdma.Open(r)
			switch r.Rank() {
			case 0:
				for range puts {
					n.Complete(n.Put(mpi.Size(9), rdma.At(1), 8))
				}
				for range detached {
					n.PutDetached(mpi.Size(9), rdma.At(1), 8)
				}
				for range sends {
					r.Send(mpi.Size(9), 1, 8)
				}
			case 1:
				for range polled {
					n.Poll(8)
				}
				for range received {
					r.Recv(mpi.Size(9), 0, 8)
				}
			}
		})
		s := w.Stats()
		if lost := sends - received; s.Unmet != int64(lost) || (s.Stray != nil) != (lost > 0) {
			rt.Fatalf("found %d messages lost, the first %+v, expected %d", s.Unmet, s.Stray, lost)
		}
	})
}

func TestNothingIsAllocatedForAnOperation(t *testing.T) {
	const ranks = 4
	s := spec(ranks, true)
	w, err := node.NewWorld(s, mpi.Programs(func(r *mpi.Rank) {
		nic := rdma.Open(r)
		nic.Register(mpi.Size(64))
		for {
			for to := range ranks {
				h := nic.Put(mpi.Size(40), rdma.Region(1).At(to, 8), 0)
				nic.PutDetached(mpi.Size(8), rdma.At(to), rdma.NoTag)
				nic.PollFrom(to, 0)
				nic.Complete(nic.Get(mpi.Size(9), rdma.At(to)))
				nic.Complete(nic.FetchAdd(rdma.At(to), 1))
				nic.Complete(h)
			}
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	net := &nodetest.Network{Latency: 1000, ByteTime: 1}
	net.Begin(w, s.Hosts, 1)
	step := func() {
		for range 4000 {
			if !net.Step() {
				t.Fatal("the program has ended")
			}
		}
	}
	step()
	if n := testing.AllocsPerRun(10, step); n != 0 {
		t.Errorf("%v allocations in 4000 steps", n)
	}
	if w.Err() != nil {
		t.Error(w.Err())
	}
}

// Answers leave by the NIC that the request came by, for the NIC that it came from.
func TestAnswersGoBackByTheSameNICs(t *testing.T) {
	s := spec(2, false)
	s.NICsPerHost = 4
	w, err := node.NewWorld(s, mpi.Programs(func(r *mpi.Rank) {
		nic := rdma.Open(r)
		if r.Rank() == 1 {
			return
		}
		nic.Complete(nic.Put(mpi.Size(8), rdma.At(1), rdma.NoTag))
		nic.Complete(nic.Get(mpi.Size(8), rdma.At(1)))
		nic.Complete(nic.FetchAdd(rdma.At(1), 1))
		nic.Complete(nic.PutWith(mpi.Size(8), rdma.At(1), rdma.NoTag, mpi.Options{NIC: 2, Gap: 3}))
		nic.Complete(nic.GetWith(mpi.Size(8), rdma.At(1), mpi.Options{NIC: 4, Gap: 3}))
		nic.Complete(nic.With(mpi.Options{NIC: 3, Gap: 3}).FetchAdd(rdma.At(1), 1))
		nic.Complete(nic.Get(mpi.Size(8), rdma.At(1)))
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	type way struct{ from, to int32 }
	var ways []way
	var paced []int
	network := &nodetest.Network{Latency: 1000, Posted: func(m *fabric.Message, x *fabric.Extra) {
		ways = append(ways, way{m.Src, m.Dst})
		if x != nil && x.Gap != 0 {
			paced = append(paced, len(ways))
			if x.Gap != 3 {
				t.Errorf("message %d has a gap of %d, want 3", len(ways), x.Gap)
			}
		}
	}}
	network.Run(w, 2, 4)
	want := []way{
		{0, 4},
		{4, 0},
		{1, 5},
		{5, 1},
		{2, 6},
		{6, 2},
		{1, 5},
		{5, 1},
		{3, 7},
		{7, 3},
		{2, 6},
		{6, 2},
		{3, 7},
		{7, 3},
	}
	// the put's data, what the get asks for, and the operand
	if want := []int{7, 10, 11}; !slices.Equal(paced, want) {
		t.Errorf("messages %v are paced, want %v", paced, want)
	}
	if w.Err() != nil || !slices.Equal(ways, want) {
		t.Errorf("%v, want %v, %v", ways, want, w.Err())
	}
}
