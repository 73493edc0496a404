package mpi_test

import (
	"runtime"
	"testing"

	"fabricast/collective"
	"fabricast/mpi"
	"fabricast/node"
)

func TestMessagesOfSizesDoNotAllocate(t *testing.T) {
	outbox := testSpec(4)
	outbox.Replies = true
	for _, spec := range []node.Spec{testSpec(4), outbox, paired(4)} {
		allocateNothing(t, spec)
	}
}

// TestOperationsOnWindowsDoNotAllocate is about sizes: contents are copied.
func TestOperationsOnWindowsDoNotAllocate(t *testing.T) {
	word := mpi.Size(8)
	allocateNothingIn(t, answering(4), func(r *mpi.Rank) {
		w := r.CreateWin(mpi.Size(64), 8)
		for {
			w.Fence()
			for to := range 4 {
				w.Put(word, to, 1)
				w.Accumulate(word, collective.SumInt64, to, 2)
				w.FetchAndOp(word, word, collective.MaxInt64, to, 3)
				w.CompareAndSwap(word, word, word, to, 4)
			}
			w.EndFences()
			w.Post([]int{0, 1, 2, 3})
			w.Start([]int{0, 1, 2, 3})
			w.Complete()
			w.Wait()
			w.Lock(r.Rank()/2, r.Rank() == 1)
			w.Get(word, r.Rank()/2, 0)
			w.Unlock(r.Rank() / 2)
		}
	})
}

func allocateNothing(t *testing.T, spec node.Spec) {
	const ranks = 4
	allocateNothingIn(t, spec, func(r *mpi.Rank) {
		rs := make([]mpi.Request, 2)
		for {
			next, previous := (r.Rank()+1)%ranks, (r.Rank()+ranks-1)%ranks
			r.Sendrecv(mpi.Size(8), next, 0, mpi.Size(8), mpi.AnySource, 0)
			rs[0], rs[1] = r.Isend(mpi.Size(8), previous, 1), r.Irecv(mpi.Size(8), next, mpi.AnyTag)
			r.WaitAny(rs)
			r.WaitAll(rs)
			r.Send(mpi.Size(8), r.Rank(), 2)
			r.Recv(mpi.Size(8), r.Rank(), 2)
			r.Iprobe(previous, 5)
		}
	})
}

// allocateNothingIn holds a program that does not end to no allocation once it has come round.
func allocateNothingIn(t *testing.T, spec node.Spec, main func(*mpi.Rank)) {
	w, err := node.NewWorld(spec, mpi.Programs(main))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	net := slow()
	net.Begin(w, spec.Hosts, 1)
	step := func() {
		for range 2000 {
			if !net.Step() {
				t.Fatal("the program has ended")
			}
		}
	}
	step()
	if n := testing.AllocsPerRun(10, step); n != 0 {
		t.Errorf("%v allocations in 2000 steps", n)
	}
	if w.Err() != nil {
		t.Error(w.Err())
	}
}

// memory is what the process holds for data and stacks, in bytes.
func memory() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse + m.OtherSys + m.MSpanInuse)
}

// BenchmarkRing passes a message around, one at a time: the time of one
// message with all that is around it, in the worst case for caches of many ranks.
func BenchmarkRing(b *testing.B) {
	for _, ranks := range []int{2, 65536} {
		b.Run(map[int]string{2: "two", 65536: "64k"}[ranks], func(b *testing.B) {
			w, err := node.NewWorld(testSpec(ranks), mpi.Programs(func(r *mpi.Rank) {
				n := r.Size()
				for {
					r.Sendrecv(mpi.Size(8), (r.Rank()+1)%n, 0, mpi.Size(8), (r.Rank()+n-1)%n, 0)
				}
			}))
			if err != nil {
				b.Fatal(err)
			}
			defer w.Close()
			net := slow()
			net.Begin(w, ranks, 1)
			for range 4 * ranks {
				net.Step()
			}
			start := w.Stats().Messages
			b.ReportAllocs()
			b.ResetTimer()
			for w.Stats().Messages-start < int64(b.N) {
				for range max(1000, ranks) {
					net.Step()
				}
			}
			b.StopTimer()
			b.ReportMetric(float64(b.Elapsed())/float64(w.Stats().Messages-start), "ns/message")
		})
	}
}
