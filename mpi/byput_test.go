package mpi_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"fabricast/collective"
	"fabricast/collective/allgather"
	"fabricast/collective/allreduce"
	"fabricast/collective/alltoall"
	"fabricast/collective/barrier"
	"fabricast/fabric"
	"fabricast/mpi"
	"fabricast/node"
)

func answering(ranks int) node.Spec {
	s := testSpec(ranks)
	s.Replies = true
	return s
}

func TestMessagesByPutTakeTheirTime(t *testing.T) {
	w := runWith(t, answering(2), slow(), func(r *mpi.Rank) {
		p := r.ByPut()
		if r.Rank() == 1 {
			p.Recv(mpi.Size(100), 0, 4)
			if want := mpi.Duration(1000 + 50_300 + 1000); r.Now() != want {
				t.Errorf("received at %d ps, want %d", r.Now(), want)
			}
			r.Compute(500_000 - r.Now())
			p.Recv(mpi.Size(0), 0, 4)
			return
		}
		p.Send(mpi.Size(100), 1, 4)
		if want := mpi.Duration(1000 + 50_300 + 50_000); r.Now() != want {
			t.Errorf("sent at %d ps, want %d", r.Now(), want)
		}
		before := r.Now()
		p.Send(mpi.Size(0), 1, 4) // nothing can overwrite its buffer
		if r.Now() != before+1000 {
			t.Errorf("sending nothing took %d ps", r.Now()-before)
		}
	})
	if w.Err() != nil || w.Finished() != 2 {
		t.Fatal(w.Err(), w.Deadlock())
	}
}

func TestOptionsOfMessagesByPut(t *testing.T) {
	type sent struct {
		nic int32
		gap uint32
	}
	var got []sent
	s := answering(2)
	s.NICsPerHost = 4
	network := slow()
	network.Posted = func(m *fabric.Message, x *fabric.Extra) {
		if m.Src < 4 && m.Size > 0 {
			got = append(got, sent{m.Src % 4, x.Gap})
		}
	}
	w := runWith(t, s, network, func(r *mpi.Rank) {
		p := r.ByPut()
		if r.Rank() == 1 {
			for range 3 {
				p.Recv(mpi.Size(8), 0, 0)
			}
			return
		}
		p.SendWith(mpi.Size(8), 1, 0, mpi.Options{NIC: 3, Gap: 7})
		p.Wait(p.IsendWith(mpi.Size(8), 1, 0, mpi.Options{Gap: 2}))
		p.Send(mpi.Size(8), 1, 0)
	})
	if w.Err() != nil || w.Finished() != 2 {
		t.Fatal(w.Err())
	}
	if want := []sent{{2, 7}, {0, 2}, {1, 0}}; !slices.Equal(got, want) {
		t.Errorf("sent %+v, want %+v", got, want)
	}
}

func TestPutsHaveNoProtocolsAndCopies(t *testing.T) {
	for _, o := range []mpi.Options{{Protocol: node.Eager}, {Copies: node.OneCopy}, {NIC: 2}, {Gap: fabric.MaxGap + 1}} {
		w := runWith(
			t,
			answering(2),
			slow(),
			func(r *mpi.Rank) { r.ByPut().SendWith(mpi.Size(8), 1-r.Rank(), 0, o) },
		)
		if w.Err() == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

func TestCollectivesByPutDeliverContents(t *testing.T) {
	const ranks = 6
	w := runWith(t, answering(ranks), slow(), func(r *mpi.Rank) {
		own, sum := make([]byte, 8), make([]byte, 8)
		binary.LittleEndian.PutUint64(own, uint64(r.Rank()))
		allreduce.Run(r.ByPut(), mpi.Data(own), mpi.Data(sum), collective.SumInt64, collective.Default)
		if got := binary.LittleEndian.Uint64(sum); got != ranks*(ranks-1)/2 {
			t.Errorf("rank %d has %d", r.Rank(), got)
		}
		half := r.Split(r.Rank()%2, 0)
		all := make([]byte, half.Size())
		allgather.Run(
			half.ByPut(),
			mpi.Data([]byte{byte(r.Rank())}),
			mpi.Data(all),
			collective.Default,
		)
		for i, b := range all {
			if int(b) != 2*i+r.Rank()%2 {
				t.Errorf("rank %d has %v", r.Rank(), all)
			}
		}
	})
	if w.Err() != nil || w.Finished() != ranks {
		t.Fatal(w.Err(), w.Deadlock())
	}
}

// Ranks without stacks do the same by put as coroutines.
func TestLoopsRunByPut(t *testing.T) {
	loop := &mpi.Loop{Body: func(r *mpi.Rank, i int, _ []mpi.Request) bool {
		p := r.ByPut()
		r.Compute(mpi.Duration(1000 * r.Rank()))
		barrier.Run(p, collective.Ring)
		rs := []mpi.Request{
			p.Isend(mpi.Size(100*i), (r.Rank()+1)%r.Size(), 0),
			p.Irecv(mpi.Size(1000), mpi.AnySource, 0),
		}
		p.WaitAll(rs)
		alltoall.Run(p, mpi.Size(50*r.Size()), mpi.Size(50*r.Size()), collective.Default)
		return i < 3
	}}
	const ranks = 9
	if !loop.Replayed(ranks) {
		t.Fatal("it needs coroutines")
	}
	var outcomes [2]node.Stats
	for i, programs := range []node.Launcher{loop.Programs(), mpi.Programs(loop.Main)} {
		w, err := node.NewWorld(answering(ranks), programs)
		if err != nil {
			t.Fatal(err)
		}
		slow().Run(w, ranks, 1)
		if w.Err() != nil || w.Finished() != ranks {
			t.Fatal(w.Err(), w.Deadlock())
		}
		outcomes[i] = *w.Stats()
		w.Close()
	}
	if a, b := outcomes[0], outcomes[1]; a.Hash != b.Hash || a.End != b.End || a.Messages != b.Messages {
		t.Errorf("%d messages until %d ps, and %d until %d ps", a.Messages, int64(a.End), b.Messages, int64(b.End))
	}
}
