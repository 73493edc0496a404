package mpi_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fabricast/fabric"
	"fabricast/internal/units"
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/node/nodetest"
)

// protocolSpec is testSpec with NICs that answer, and a rendezvous for messages of more than 100
// bytes.
func protocolSpec(ranks int, p node.Protocol) node.Spec {
	s := testSpec(ranks)
	s.Replies, s.Rendezvous, s.EagerUpTo = true, p, 100
	return s
}

// Times of the slow network: an empty message is 50 ns on its way, a byte takes 2 ps from memory
// and 3 ps to memory.
const (
	call = 1000
	way  = 50_000
	read = 2
	move = 3
)

// rendezvousEnds are when a rendezvous of n bytes is over, if the send was called and the receive
// posted at these times.
func rendezvousEnds(p node.Protocol, sent, posted, n int64) (send, receive int64) {
	request := sent + call + way
	clear := max(request, posted) + way
	data := clear + way + move*n
	if p == node.RendezvousRead {
		return data + way, data + call
	}
	return clear + read*n, data + call
}

func TestRendezvousTakesItsTime(t *testing.T) {
	for _, p := range []node.Protocol{node.RendezvousWrite, node.RendezvousRead} {
		for _, oneCopy := range []bool{false, true} {
			for _, late := range []int64{0, 51_000, 300_000} {
				const sent, n = 7000, 2000
				send, receive := rendezvousEnds(p, sent, late, n)
				protocolClocks(t, protocolSpec(2, p), oneCopy, func(r *mpi.Rank) {
					if r.Rank() == 0 {
						r.Compute(sent)
						r.Send(mpi.Size(n), 1, 5)
						return
					}
					r.Compute(mpi.Duration(late))
					if s := r.Recv(mpi.Size(n), mpi.AnySource, mpi.AnyTag); (s != mpi.Status{Source: 0, Tag: 5, Size: n}) {
						t.Errorf("received %+v", s)
					}
				}, send, receive)
			}
		}
	}
}

// protocolClocks is clocks for a node that is not the usual one.
func protocolClocks(t *testing.T, spec node.Spec, oneCopy bool, main func(*mpi.Rank), want ...int64) {
	t.Helper()
	spec.OneCopy = oneCopy
	for _, late := range []bool{false, true} {
		network := slow()
		network.Late = late
		w := runWith(t, spec, network, main)
		if w.Err() != nil || w.Finished() != len(want) || network.Live() != 0 {
			t.Fatalf(
				"%v; %d ranks finished, %d messages were not released: %v",
				w.Err(), w.Finished(), network.Live(), w.Deadlock(),
			)
		}
		for rank, end := range want {
			if got := int64(w.Record(rank).End); got != end {
				t.Errorf(
					"protocol %d, late %v, one-copy %v: rank %d ends at %d ps, want %d",
					spec.Rendezvous, late, oneCopy, rank, got, end,
				)
			}
		}
	}
}

func TestSmallMessagesStayEager(t *testing.T) {
	protocolClocks(t, protocolSpec(2, node.RendezvousWrite), false, func(r *mpi.Rank) {
		if r.Rank() == 0 {
			r.Send(mpi.Size(100), 1, 0)
		} else {
			r.Recv(mpi.Size(100), 0, 0)
		}
	}, call+100*read, call+way+100*move+call)
}

// A rank has buffers for the first ranks with which it exchanges messages that need some.
func TestBuffersForPeers(t *testing.T) {
	spec := protocolSpec(4, node.RendezvousWrite)
	spec.Peers, spec.EagerToOthers = 2, 10
	var posted []string
	network := slow()
	network.Posted = func(m *fabric.Message, _ *fabric.Extra) {
		posted = append(posted, fmt.Sprint(m.Src, ">", m.Dst, ":", m.Size))
	}
	w := runWith(t, spec, network, func(r *mpi.Rank) {
		sizes := []struct{ to, bytes int }{{3, 10}, {1, 11}, {2, 100}, {3, 11}, {1, 50}, {3, 10}, {2, 101}}
		for tag, s := range sizes {
			switch r.Rank() {
			case 0:
				r.Send(mpi.Size(s.bytes), s.to, tag)
			case s.to:
				r.Recv(mpi.Size(s.bytes), 0, tag)
			}
		}
	})
	want := "[0>3:10 0>1:11 0>2:100 0>3:0 3>0:0 0>3:11 0>1:50 0>3:10 0>2:0 2>0:0 0>2:101]"
	if got := fmt.Sprint(posted); w.Err() != nil || w.Finished() != 4 || got != want {
		t.Errorf("%v, %d ranks finished: posted\n%s, want\n%s", w.Err(), w.Finished(), got, want)
	}
}

// Both ends of a message for which they have no buffers pay for the rendezvous, also if it is small.
func TestSetupWithoutBuffers(t *testing.T) {
	const setup, n = 700, 60
	for _, peers := range []int{0, 1} {
		spec := protocolSpec(3, node.RendezvousWrite)
		spec.Peers, spec.EagerToOthers, spec.Setup, spec.SetupAbove = peers, 10, setup, 100
		w := runWith(t, spec, slow(), func(r *mpi.Rank) {
			if r.Rank() > 0 {
				r.Recv(mpi.Size(n), 0, 0)
				r.Send(mpi.Size(n), 0, 1)
				return
			}
			var open []mpi.Request
			for _, other := range []int{1, 2, 1, 2} {
				begin, want := r.Now(), int64(call)
				if len(open) < 2 {
					open = append(open, r.Isend(mpi.Size(n), other, 0))
				} else {
					open, want = append(open, r.Irecv(mpi.Size(n), other, 1)), 0
				}
				if peers > 0 && other == 2 {
					want += setup
				}
				if got := int64(r.Now() - begin); got != want {
					t.Errorf("%d peers: request %d costs %d ps, want %d", peers, len(open), got, want)
				}
			}
			r.WaitAll(open)
		})
		if w.Err() != nil || w.Finished() != 3 {
			t.Error(w.Err(), w.Deadlock())
		}
	}
}

// With UntilFetched a send that is copied is complete when the NIC has the copy.
func TestSendsUntilFetched(t *testing.T) {
	const copied = 100 * 10
	for _, until := range []bool{false, true} {
		spec := protocolSpec(2, node.RendezvousWrite)
		spec.UntilFetched, spec.Notice = until, 300
		sent := int64(call + copied)
		if until {
			sent += 100*read + 300
		}
		protocolClocks(t, spec, true, func(r *mpi.Rank) {
			if r.Rank() == 0 {
				r.Send(mpi.Size(100), 1, 0)
			} else {
				r.Recv(mpi.Size(100), 0, 0)
			}
		}, sent, call+copied+way+100*move+call+copied)
	}
}

func TestOptionsChooseTheProtocol(t *testing.T) {
	write, _ := rendezvousEnds(node.RendezvousWrite, 0, 0, 10)
	readEnd, _ := rendezvousEnds(node.RendezvousRead, 0, 0, 10)
	for _, c := range []struct {
		options mpi.Options
		want    int64
	}{
		{mpi.Options{Protocol: node.Eager}, call + 10*read},
		{mpi.Options{Protocol: node.RendezvousWrite}, write},
		{mpi.Options{Protocol: node.RendezvousRead}, readEnd},
		{mpi.Options{Protocol: node.Synchronous}, write},
		{mpi.Options{Copies: node.OneCopy}, call + 10*10},
		{mpi.Options{Copies: node.ZeroCopy}, call + 10*read},
	} {
		spec := testSpec(2)
		spec.Replies = true
		w := runWith(t, spec, slow(), func(r *mpi.Rank) {
			if r.Rank() == 0 {
				r.SendWith(mpi.Data([]byte("0123456789")), 1, 0, c.options)
				return
			}
			got := make([]byte, 10)
			r.Recv(mpi.Data(got), 0, 0)
			if string(got) != "0123456789" {
				t.Errorf("received %q", got)
			}
		})
		if got := int64(w.Record(0).End); w.Err() != nil || got != c.want {
			t.Errorf("%+v: the send ends at %d ps, want %d: %v", c.options, got, c.want, w.Err())
		}
	}
}

// One-copy is paid at both ends of the message that asks for it, and of no other.
func TestCopiesOfOneMessage(t *testing.T) {
	for _, oneCopy := range []bool{false, true} {
		first, second := mpi.Options{}, mpi.Options{Copies: node.OneCopy}
		if oneCopy {
			first = mpi.Options{Copies: node.ZeroCopy}
		}
		// The second send waits for the first's buffer to be read; the receiver does both copies
		// when it is its turn.
		sent := int64(call + 1000*read + call + 1000*10)
		protocolClocks(t, testSpec(2), oneCopy, func(r *mpi.Rank) {
			if r.Rank() == 0 {
				r.SendWith(mpi.Size(1000), 1, 0, first)
				r.SendWith(mpi.Size(1000), 1, 0, second)
				return
			}
			r.Recv(mpi.Size(1000), 0, 0)
			r.Recv(mpi.Size(1000), 0, 0)
		}, sent, sent+way+1000*move+call+1000*10)
	}
}

func TestSynchronousSendWithinAHost(t *testing.T) {
	spec := paired(4)
	w := runWith(t, spec, slow(), func(r *mpi.Rank) {
		switch r.Rank() {
		case 0:
			r.Ssend(mpi.Size(50), 1, 0)
		case 1:
			r.Compute(400_000)
			r.Recv(mpi.Size(50), 0, 0)
		case 2:
			q := r.Issend(mpi.Size(50), 2, 0) // to itself
			r.Compute(30_000)
			r.Recv(mpi.Size(50), 2, 0)
			r.Wait(q)
		}
	})
	if w.Err() != nil || w.Finished() != 4 {
		t.Fatal(w.Err(), w.Deadlock())
	}
	for rank, want := range []int64{400_000, 401_000, 1000 + 500 + 30_000 + 1000} {
		if got := int64(w.Record(rank).End); got != want {
			t.Errorf("rank %d ends at %d ps, want %d", rank, got, want)
		}
	}
}

// Messages of a pair meet receives in the order of sending, however they travel.
func TestOrderIsKeptAcrossProtocols(t *testing.T) {
	for _, nics := range []int{1, 3} {
		spec := protocolSpec(2, node.RendezvousRead)
		spec.NICsPerHost, spec.Overtaking = nics, nics > 1
		w := runWith(t, spec, slow(), func(r *mpi.Rank) {
			const messages = 40
			if r.Rank() == 0 {
				for i := range messages {
					r.Isend(mpi.Size(i*37%300), 1, 0)
				}
				return
			}
			r.Compute(60_000)
			for i := range messages {
				if s := r.Recv(mpi.Size(400), 0, 0); s.Size != i*37%300 {
					t.Errorf("message %d has %d bytes, want %d", i, s.Size, i*37%300)
				}
			}
		})
		if w.Err() != nil || w.Finished() != 2 || w.Stats().Messages != 40 || w.Stats().Unmet != 0 {
			t.Error(w.Err(), w.Stats())
		}
	}
}

func TestProbeFindsARequest(t *testing.T) {
	spec := protocolSpec(2, node.RendezvousWrite)
	w := runWith(t, spec, slow(), func(r *mpi.Rank) {
		if r.Rank() == 0 {
			r.Send(mpi.Size(5000), 1, 3)
			return
		}
		s := r.Probe(mpi.AnySource, mpi.AnyTag)
		if (s != mpi.Status{Source: 0, Tag: 3, Size: 5000}) || r.Now() != call+way+call {
			t.Errorf("probed %+v at %v", s, r.Now())
		}
		q := r.Irecv(mpi.Size(5000), 0, 3)
		if i, s := r.WaitAny([]mpi.Request{{}, q}); i != 1 || s.Size != 5000 {
			t.Errorf("request %d: %+v", i, s)
		}
	})
	if w.Err() != nil || w.Finished() != 2 {
		t.Error(w.Err())
	}
}

func TestTruncationOfARendezvous(t *testing.T) {
	w := runWith(t, protocolSpec(2, node.RendezvousWrite), slow(), func(r *mpi.Rank) {
		if r.Rank() == 0 {
			r.Send(mpi.Size(5000), 1, 3)
		} else {
			r.Recv(mpi.Size(4999), 0, 3)
		}
	})
	if w.Err() == nil ||
		!strings.Contains(
			w.Err().Error(), "5000 bytes from rank 0 with tag 3 do not fit into the 4999 bytes",
		) {
		t.Error(w.Err())
	}
}

func TestRendezvousNeedsNICsThatAnswer(t *testing.T) {
	w := runWith(t, testSpec(2), slow(), func(r *mpi.Rank) { r.Ssend(mpi.Size(1), 1-r.Rank(), 0) })
	if w.Err() == nil || !strings.Contains(w.Err().Error(), "needs NICs that answer messages") {
		t.Error(w.Err())
	}
}

func TestDeadlockOfSendsIsExplained(t *testing.T) {
	w := runWith(t, protocolSpec(3, node.RendezvousWrite), slow(), func(r *mpi.Rank) {
		if r.Rank() < 2 {
			r.Send(mpi.Size(101), 1-r.Rank(), 7)
		}
	})
	err := w.Deadlock()
	if err == nil ||
		!strings.Contains(err.Error(), "rank 0 at 1 ns waits for a receive of its message by rank 1 with tag 7") ||
		!strings.Contains(err.Error(), "cycle: rank 0 waits for rank 1, which waits for rank 0") {
		t.Error(err)
	}
	if w.Stats().Unmet != 2 || w.Stats().Messages != 0 {
		t.Errorf("%+v", w.Stats())
	}
	w = runWith(
		t,
		paired(2),
		&nodetest.Network{Latency: 1},
		func(r *mpi.Rank) { r.Ssend(mpi.Size(0), r.Rank(), 2) },
	)
	if err := w.Deadlock(); err == nil || !strings.Contains(err.Error(), "by rank 1 with tag 2") {
		t.Error(err)
	}
}

func TestRendezvousDoesNotAllocate(t *testing.T) {
	for _, p := range []node.Protocol{node.RendezvousWrite, node.RendezvousRead} {
		spec := protocolSpec(4, p)
		spec.EagerUpTo = 4
		allocateNothing(t, spec)
	}
}

// TestProtocolsRunTheSameOnEveryNetwork mixes all protocols between the same ranks.
func TestProtocolsRunTheSameOnEveryNetwork(t *testing.T) {
	for seed, spec := range nodetest.Networks(t, 30) {
		nodes := nodetest.NodesFor(spec, seed)
		random := rand.New(rand.NewPCG(seed, 79))
		nodes.Replies, nodes.EagerUpTo = true, units.Bytes(random.Int64N(800))
		nodes.Rendezvous = []node.Protocol{node.ByExperiment, node.RendezvousWrite, node.RendezvousRead}[random.IntN(3)]
		if nodes.Rendezvous != node.ByExperiment {
			nodes.Peers = random.IntN(3)
		}
		nodes.EagerToOthers = units.Bytes(random.Int64N(400))
		nodes.OneCopy, nodes.UntilFetched = random.IntN(2) == 0, random.IntN(2) == 0
		if spec.Graph.Hosts <= 20 && random.IntN(2) == 0 {
			for h := range spec.Graph.Hosts {
				nodes.HostOf = append(nodes.HostOf, int32(h))
			}
			nodes.Intra = node.Intra{Latency: 200_000, Bandwidth: 3e9}
		}
		if seed%2 == 0 {
			nodetest.Disturb(&nodes, seed)
		}
		nodetest.SameEverywhere(t, spec, nodes, mpi.Programs(medleyOf(seed, sendSomehow)), seed)
	}
}

// sendSomehow starts a send with random options.
func sendSomehow(r *mpi.Rank, own *rand.Rand, buf mpi.Buf, to, tag int) mpi.Request {
	o := mpi.Options{
		Protocol: node.Protocol(own.IntN(5)),
		Copies:   node.Copies(own.IntN(3)),
		Gap:      uint32(own.IntN(4) / 3 * own.IntN(5)),
	}
	if o.Protocol > node.Eager && o.Copies == node.OneCopy {
		o.Copies = node.ZeroCopy // a rendezvous has no copies
	}
	return r.IsendWith(buf, to, tag, o)
}

// A message counts once, from the call of send to its data's arrival.
func TestRendezvousCountsOnce(t *testing.T) {
	var kinds []int64
	network := slow()
	network.Posted = func(m *fabric.Message, _ *fabric.Extra) { kinds = append(kinds, m.Size) }
	w := runWith(t, protocolSpec(2, node.RendezvousRead), network, func(r *mpi.Rank) {
		if r.Rank() == 0 {
			r.Send(mpi.Size(5000), 1, 3)
		} else {
			r.Recv(mpi.Size(5000), 0, 3)
		}
	})
	s := w.Stats()
	if s.Messages != 1 || s.Bytes != 5000 || s.Latency.Max() != call+3*way+5000*move {
		t.Errorf("%d messages of %d bytes, %d ps", s.Messages, int64(s.Bytes), s.Latency.Max())
	}
	if r := w.Record(1); r.MessagesReceived != 1 || r.BytesReceived != 5000 || w.Record(0).BytesSent != 5000 {
		t.Errorf("%+v", r)
	}
	if len(kinds) != 4 || kinds[2] != 5000 || kinds[0]+kinds[1]+kinds[3] != 0 {
		t.Errorf("messages of %v bytes", kinds)
	}
}
