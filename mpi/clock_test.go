package mpi_test

import (
	"testing"

	"fabricast/collective"
	"fabricast/mpi"
	"fabricast/node/nodetest"
)

// clocks runs a program and compares the clocks at which its ranks ended, in ps.
func clocks(t *testing.T, net *nodetest.Network, oneCopy bool, main func(*mpi.Rank), want ...int64) {
	t.Helper()
	for _, late := range []bool{false, true} {
		spec := testSpec(len(want))
		spec.OneCopy = oneCopy
		copied := *net
		copied.Late = late
		w := runWith(t, spec, &copied, main)
		if err := w.Err(); err != nil {
			t.Fatal(err)
		}
		for rank, end := range want {
			if got := int64(w.Record(rank).End); got != end {
				t.Errorf("late %v: rank %d ends at %d ps, want %d", late, rank, got, end)
			}
		}
		if copied.Live() != 0 {
			t.Errorf("late %v: %d messages were not released", late, copied.Live())
		}
	}
}

// slow is a network in which all parts of a transfer take their own time: 50 ns,
// 3 ps a byte to memory, 2 ps a byte from memory.
func slow() *nodetest.Network {
	return &nodetest.Network{Latency: 50_000, ByteTime: 3, ReadTime: 2}
}

func TestZeroCopySendEndsWhenTheBufferIsRead(t *testing.T) {
	clocks(t, slow(), false, func(r *mpi.Rank) {
		if r.Rank() == 0 {
			r.Send(mpi.Size(2000), 1, 0)
		} else {
			r.Recv(mpi.Size(2000), 0, 0)
		}
	}, 1000+4000, 1000+50_000+6000+1000)
}

func TestOneCopyPaysTheCopyAtBothEnds(t *testing.T) {
	clocks(t, slow(), true, func(r *mpi.Rank) {
		if r.Rank() == 0 {
			r.Send(mpi.Size(2000), 1, 0)
		} else {
			r.Recv(mpi.Size(2000), 0, 0)
		}
	}, 1000+20_000, 1000+20_000+50_000+6000+1000+20_000)
}

func TestSendsFollowOneAnotherOnTheClock(t *testing.T) {
	clocks(t, slow(), false, func(r *mpi.Rank) {
		switch r.Rank() {
		case 0:
			a := r.Isend(mpi.Size(100), 1, 0)
			b := r.Isend(mpi.Size(0), 2, 0)
			r.WaitAll([]mpi.Request{b, a})
		default:
			r.Recv(mpi.Size(100), 0, 0)
		}
	}, 2000, 1000+50_000+300+1000, 2000+50_000+1000)
}

func TestReceivesAreChargedInOrderOfArrival(t *testing.T) {
	// Messages arrive at 52 and 51.5 ns, the second while the first is handled.
	clocks(t, slow(), false, func(r *mpi.Rank) {
		switch r.Rank() {
		case 0:
			a, b := r.Irecv(mpi.Size(9), 1, 0), r.Irecv(mpi.Size(9), 2, 0)
			r.WaitAll([]mpi.Request{a, b, {}})
		case 1:
			r.Compute(1000 * mpi.Picosecond)
			r.Send(mpi.Size(0), 0, 0)
		case 2:
			r.Compute(500 * mpi.Picosecond)
			r.Send(mpi.Size(0), 0, 0)
		}
	}, 51_500+1000+1000, 2000, 1500)
}

func TestLateReceiveFindsTheMessageThere(t *testing.T) {
	clocks(t, slow(), false, func(r *mpi.Rank) {
		if r.Rank() == 0 {
			r.Send(mpi.Size(10), 1, 0)
			return
		}
		r.Compute(200 * mpi.Nanosecond)
		r.Recv(mpi.Size(10), 0, 0)
	}, 1020, 201_000)
}

func TestSelfMessageCostsOverheadsAndOneCopy(t *testing.T) {
	clocks(t, slow(), false, func(r *mpi.Rank) {
		got := make([]byte, 100)
		q := r.Irecv(mpi.Data(got), 0, 3)
		r.Send(mpi.Data(make([]byte, 100)), 0, 3)
		r.Wait(q)
	}, 1000+100*10+1000)
}

func TestSendrecvOverlaps(t *testing.T) {
	clocks(t, slow(), false, func(r *mpi.Rank) {
		r.Sendrecv(mpi.Size(8), 1-r.Rank(), 0, mpi.Size(8), 1-r.Rank(), 0)
	}, 1000+50_000+24+1000, 1000+50_000+24+1000)
}

func TestWaitAnyTakesTheFirstToComplete(t *testing.T) {
	clocks(t, slow(), false, func(r *mpi.Rank) {
		if r.Rank() != 0 {
			r.Compute(mpi.Duration(4-r.Rank()) * mpi.Nanosecond)
			r.Send(mpi.Size(0), 0, r.Rank())
			return
		}
		rs := []mpi.Request{
			r.Irecv(mpi.Size(0), 1, 1),
			r.Irecv(mpi.Size(0), 2, 2),
			{},
			r.Irecv(mpi.Size(0), mpi.AnySource, 3),
		}
		for _, want := range []int{3, 1, 0} {
			i, s := r.WaitAny(rs)
			if i != want || rs[i] != (mpi.Request{}) || s.Source != []int{1, 2, 0, 3}[i] {
				t.Errorf("request %d (%+v) was first, want %d", i, s, want)
			}
		}
		if i, _ := r.WaitAny(rs); i != -1 {
			t.Error("waited for nothing, got", i)
		}
	}, 54_000+1000, 4000, 3000, 2000)
}

func TestWaitAnyOfSendAndReceive(t *testing.T) {
	clocks(t, slow(), false, func(r *mpi.Rank) {
		if r.Rank() == 1 {
			r.Recv(mpi.Size(10_000), 0, 0)
			r.Send(mpi.Size(0), 0, 0)
			return
		}
		rs := []mpi.Request{r.Irecv(mpi.Size(0), 1, 0), r.Isend(mpi.Size(10_000), 1, 0)}
		if i, _ := r.WaitAny(rs); i != 1 || r.Now() != 1000+20_000 {
			t.Errorf("request %d at %v", i, r.Now())
		}
		if i, _ := r.WaitAny(rs); i != 0 {
			t.Errorf("then request %d", i)
		}
	}, 82_000+1000+50_000+1000, 82_000+1000)
}

func TestTestAnswersForThePresent(t *testing.T) {
	clocks(t, slow(), false, func(r *mpi.Rank) {
		if r.Rank() == 1 {
			r.Send(mpi.Size(0), 0, 0) // arrives at 51 ns
			return
		}
		q := r.Irecv(mpi.Size(0), 1, 0)
		r.Compute(50_999)
		if _, ok := r.Test(q); ok { // costs the overhead
			t.Error("the message is there too early")
		}
		if s, ok := r.Test(q); !ok || s.Source != 1 {
			t.Error("the message is not there")
		}
		if _, ok := r.Test(mpi.Request{}); !ok {
			t.Error("the zero request is not complete")
		}
	}, 51_999+1000, 1000)
	clocks(t, slow(), false, func(r *mpi.Rank) {
		if r.Rank() == 1 {
			r.Send(mpi.Size(0), 0, 0)
			return
		}
		q := r.Irecv(mpi.Size(0), 1, 0)
		r.Compute(51_000)
		if _, ok := r.Test(q); !ok {
			t.Error("a message that arrives at the very instant is not there")
		}
	}, 52_000, 1000)
}

func TestTestOfASend(t *testing.T) {
	clocks(t, slow(), false, func(r *mpi.Rank) {
		if r.Rank() == 1 {
			r.Recv(mpi.Size(1000), 0, 0)
			return
		}
		q := r.Isend(mpi.Size(1000), 1, 0) // read at 3 ns
		if _, ok := r.Test(q); ok {
			t.Error("complete at 1 ns")
		}
		r.Compute(1000)
		if _, ok := r.Test(q); !ok {
			t.Error("not complete at 3 ns")
		}
	}, 3000, 1000+53_000+1000)
}

func TestProbes(t *testing.T) {
	clocks(t, slow(), false, func(r *mpi.Rank) {
		if r.Rank() == 1 {
			r.Send(mpi.Size(30), 0, 5) // arrives at 51.09 ns
			r.Send(mpi.Size(40), 0, 6)
			return
		}
		if _, ok := r.Iprobe(mpi.AnySource, 5); ok {
			t.Error("a message is there at the start")
		}
		s := r.Probe(mpi.AnySource, 5)
		if (s != mpi.Status{Source: 1, Tag: 5, Size: 30}) || r.Now() != 51_090+1000 {
			t.Errorf("probed %+v at %v", s, r.Now())
		}
		if s, ok := r.Iprobe(1, mpi.AnyTag); !ok || s.Tag != 5 {
			t.Errorf("iprobe: %v %+v", ok, s)
		}
		r.Recv(mpi.Size(s.Size), s.Source, s.Tag)
		r.Recv(mpi.Size(40), 1, mpi.AnyTag)
	}, 51_090+4000, 2140)
}

func TestPollingGetsOnWithoutOverhead(t *testing.T) {
	spec := testSpec(2)
	spec.Overhead = 0
	w := runWith(t, spec, slow(), func(r *mpi.Rank) {
		if r.Rank() == 1 {
			r.Send(mpi.Size(0), 0, 0)
			return
		}
		polls := 0
		for ; ; polls++ {
			if _, ok := r.Iprobe(1, 0); ok {
				break
			}
		}
		if polls != 50 || r.Now() != 51*mpi.Nanosecond {
			t.Errorf("%d polls until %v", polls, r.Now())
		}
	})
	if w.Err() != nil || w.Finished() != 2 {
		t.Error(w.Err())
	}
}

func TestNICsTakeTurns(t *testing.T) {
	spec := testSpec(2)
	spec.NICsPerHost = 3
	w := runWith(t, spec, slow(), func(r *mpi.Rank) {
		for i := range 7 {
			if r.Rank() == 0 {
				r.Send(mpi.Size(i), 1, 0)
			} else if s := r.Recv(mpi.Size(9), 0, 0); s.Size != i {
				t.Errorf("message %d came as number %d", s.Size, i)
			}
		}
	})
	if w.Err() != nil || w.Finished() != 2 {
		t.Error(w.Err())
	}
}

// Messages that threads of an accelerator start cost neither overhead nor copies, and those of the
// program with the same tag do.
func TestMessagesOfDevicesTakeNoSoftware(t *testing.T) {
	tag := collective.ChannelTag(collective.TagAllreduce, 3)
	for _, oneCopy := range []bool{false, true} {
		clocks(t, slow(), oneCopy, func(r *mpi.Rank) {
			c := r.Collective()
			c.Sendrecv(mpi.Size(8), 1-r.Rank(), tag, mpi.Size(8), 1-r.Rank(), tag)
			c.WaitAll([]mpi.Request{
				c.Irecv(mpi.Size(8), 1-r.Rank(), tag), c.Isend(mpi.Size(8), 1-r.Rank(), tag),
			})
		}, 2*50_024, 2*50_024)
	}
	clocks(t, slow(), false, func(r *mpi.Rank) {
		r.Sendrecv(mpi.Size(8), 1-r.Rank(), tag, mpi.Size(8), 1-r.Rank(), tag)
	}, 1000+50_024+1000, 1000+50_024+1000)
}
