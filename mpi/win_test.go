package mpi_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fabricast/collective"
	"fabricast/fabric"
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/node/nodetest"
)

// word is a number as windows hold it.
func word(n int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(n)) }

func number(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }

// windows runs a program in which every rank has a window of so many words, whose contents it gets
// too.
func windows(t *testing.T, spec node.Spec, words int, main func(r *mpi.Rank, w *mpi.Win, memory []byte)) {
	t.Helper()
	network := slow()
	world := runWith(t, spec, network, func(r *mpi.Rank) {
		memory := make([]byte, 8*words)
		w := r.CreateWin(mpi.Data(memory), 8)
		main(r, w, memory)
		w.Free()
	})
	if world.Err() != nil || world.Finished() != len(spec.HostOf) {
		t.Fatal(world.Err(), world.Deadlock())
	}
	if n := network.Live(); n != 0 {
		t.Errorf("%d messages have not been released", n)
	}
}

// bothLayouts are nodes with one rank each and with two.
func bothLayouts(ranks int) []node.Spec {
	two := paired(ranks)
	two.Replies = true
	return []node.Spec{answering(ranks), two}
}

func TestOperationsOnWindowsTakeTheirTime(t *testing.T) {
	windows(t, answering(2), 100, func(r *mpi.Rank, w *mpi.Win, _ []byte) {
		w.Fence()
		if r.Rank() == 1 {
			return
		}
		word := mpi.Size(8)
		for name, c := range map[string]struct {
			start func()
			want  mpi.Duration
		}{
			"put":              {func() { w.Put(mpi.Size(100), 1, 0) }, call + 2*way + 100*move},
			"get":              {func() { w.Get(mpi.Size(100), 1, 0) }, call + 2*way + 100*move},
			"accumulate":       {func() { w.Accumulate(mpi.Size(96), collective.SumInt64, 1, 0) }, call + 2*way + 96*move},
			"get-accumulate":   {func() { w.GetAccumulate(mpi.Size(96), mpi.Size(96), nil, 1, 0) }, call + 2*way + 2*96*move},
			"fetch-and-op":     {func() { w.FetchAndOp(word, word, collective.SumInt64, 1, 0) }, call + 2*way + 2*8*move},
			"compare-and-swap": {func() { w.CompareAndSwap(word, word, word, 1, 0) }, call + 2*way + (16+8)*move},
		} {
			before := r.Now()
			c.start()
			if r.Now() != before+call {
				t.Errorf("%s: starting takes %d ps", name, r.Now()-before)
			}
			w.Flush(1)
			if got := r.Now() - before; got != c.want {
				t.Errorf("%s takes %d ps, want %d", name, got, c.want)
			}
			r.Compute(mpi.Microsecond)
		}
	})
}

// The options of an operation on a window reach the NICs, with the messages that have contents.
func TestOptionsOfOperationsOnWindows(t *testing.T) {
	type sent struct {
		nic, gap int
		bytes    int64
	}
	var got []sent
	spec, network := answering(2), slow()
	spec.NICsPerHost = 4
	network.Posted = func(m *fabric.Message, x *fabric.Extra) {
		if s := (sent{nic: int(m.Src % 4), bytes: m.Size}); s.bytes >= 100 {
			if x != nil {
				s.gap = int(x.Gap)
			}
			got = append(got, s)
		}
	}
	world := runWith(t, spec, network, func(r *mpi.Rank) {
		w := r.CreateWin(mpi.Size(1000), 1)
		if r.Rank() == 0 {
			w.Lock(1, true)
			w.PutWith(mpi.Size(100), 1, 0, mpi.Options{NIC: 2, Gap: 5})
			w.Flush(1)
			w.GetWith(mpi.Size(101), 1, 0, mpi.Options{NIC: 3, Gap: 6})
			w.Flush(1)
			w.AccumulateWith(mpi.Size(102), nil, 1, 0, mpi.Options{NIC: 4, Gap: 7})
			w.Unlock(1)
		}
		w.Free()
	})
	if want := []sent{{1, 5, 100}, {2, 6, 101}, {3, 7, 102}}; world.Err() != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v, %v", got, want, world.Err())
	}
}

func TestFencesSeparateEpochs(t *testing.T) {
	for _, spec := range bothLayouts(6) {
		windows(t, spec, 8, func(r *mpi.Rank, w *mpi.Win, memory []byte) {
			me, n := r.Rank(), r.Size()
			w.Fence()
			for to := range n {
				w.Put(mpi.Data(word(int64(10*me))), to, me)
				w.Accumulate(mpi.Data(word(int64(me+1))), collective.SumInt64, to, 7)
			}
			w.Fence()
			for from := range n {
				if got := number(memory[8*from:]); got != int64(10*from) {
					t.Errorf("rank %d has %d of rank %d", me, got, from)
				}
			}
			if got := number(memory[56:]); got != int64(n*(n+1)/2) {
				t.Errorf("rank %d has the sum %d", me, got)
			}
			all := make([]byte, 8*n)
			w.Get(mpi.Data(all), (me+1)%n, 0)
			w.EndFences()
			if !bytes.Equal(all, memory[:8*n]) {
				t.Errorf("rank %d got %v", me, all)
			}
		})
	}
}

func TestPostStartCompleteWait(t *testing.T) {
	for _, spec := range bothLayouts(5) {
		windows(t, spec, 5, func(r *mpi.Rank, w *mpi.Win, memory []byte) {
			me, n := r.Rank(), r.Size()
			left, right := (me+n-1)%n, (me+1)%n
			for round := range 3 {
				w.Post([]int{left, (me + 2) % n})
				w.Start([]int{right, (me + n - 2) % n})
				r.Compute(mpi.Duration(me*round) * 40_000)
				w.Put(mpi.Data(word(int64(100*round+me))), right, 0)
				w.Put(mpi.Data(word(int64(100*round+me))), (me+n-2)%n, 1)
				w.Complete()
				w.Wait()
				if a, b := number(memory), number(memory[8:]); a != int64(100*round+left) ||
					b != int64(100*round+(me+2)%n) {
					t.Errorf("rank %d has %d and %d in round %d", me, a, b, round)
				}
			}
		})
	}
}

// Under a lock a rank may read, think, and write.
func TestLocksExclude(t *testing.T) {
	for _, spec := range bothLayouts(6) {
		const each = 4
		windows(t, spec, 1, func(r *mpi.Rank, w *mpi.Win, memory []byte) {
			for i := range each {
				w.Lock(0, true)
				was := make([]byte, 8)
				w.Get(mpi.Data(was), 0, 0)
				w.Flush(0)
				r.Compute(mpi.Duration(i*r.Rank()) * 1000)
				w.Put(mpi.Data(word(number(was)+1)), 0, 0)
				w.Unlock(0)
			}
			r.Barrier(collective.Default)
			if r.Rank() == 0 && number(memory) != int64(each*r.Size()) {
				t.Errorf("counted to %d", number(memory))
			}
		})
	}
}

// Locks are given in the order of requests: readers together, a writer alone.
func TestLocksAreShared(t *testing.T) {
	var held [4][2]mpi.Duration
	windows(t, answering(4), 1, func(r *mpi.Rank, w *mpi.Win, _ []byte) {
		if r.Rank() == 0 {
			return
		}
		r.Compute(mpi.Duration(r.Rank()) * 10_000)
		w.Lock(0, r.Rank() == 3)
		held[r.Rank()][0] = r.Now()
		r.Compute(300_000)
		held[r.Rank()][1] = r.Now()
		w.Unlock(0)
	})
	if held[2][0] > held[1][1] || held[3][0] < held[1][1] || held[3][0] < held[2][1] {
		t.Errorf("held %v", held)
	}
}

func TestAtomicOperationsOnWindows(t *testing.T) {
	for _, spec := range bothLayouts(6) {
		tickets := make([]int64, len(spec.HostOf))
		windows(t, spec, 3, func(r *mpi.Rank, w *mpi.Win, memory []byte) {
			w.LockAll()
			ticket := make([]byte, 8)
			w.FetchAndOp(mpi.Data(word(1)), mpi.Data(ticket), collective.SumInt64, 2, 0)
			w.Flush(2)
			tickets[r.Rank()] = number(ticket)
			was := make([]byte, 4)
			w.CompareAndSwap(
				mpi.Data([]byte{1, 2, 3, byte(r.Rank())}),
				mpi.Data(make([]byte, 4)),
				mpi.Data(was),
				1,
				1,
			)
			w.GetAccumulate(mpi.Data(word(int64(r.Rank()))), mpi.Data(ticket), mpi.Replace, 2, 1)
			w.GetAccumulate(mpi.Data(ticket), mpi.Data(ticket), mpi.NoOp, 2, 2)
			w.UnlockAll()
			r.Barrier(collective.Default)
			switch r.Rank() {
			case 1:
				if !bytes.Equal(memory[8:11], []byte{1, 2, 3}) {
					t.Errorf("swapped to %v", memory)
				}
			case 2:
				if number(memory) != int64(r.Size()) || number(memory[8:]) >= int64(r.Size()) ||
					number(memory[16:]) != 0 {
					t.Errorf("memory %v", memory)
				}
			}
		})
		slices.Sort(tickets)
		for i, ticket := range tickets {
			if ticket != int64(i) {
				t.Fatalf("tickets %v", tickets)
			}
		}
	}
}

func TestWindowsOfPartsAndOfCommunicators(t *testing.T) {
	windows(t, answering(6), 1, func(r *mpi.Rank, _ *mpi.Win, _ []byte) {
		half := r.Split(r.Rank()%2, -r.Rank())
		a := half.CreateWin(mpi.Size(100*(half.Rank()+1)), 1)
		b := half.CreateWin(mpi.Size(8), 4)
		a.Fence()
		b.Fence()
		a.Put(mpi.Size(300), 2, 0)
		b.Put(mpi.Size(4), 0, 1)
		a.Fence()
		b.Fence()
		b.Free()
		a.Free()
	})
}

func TestWrongUseOfWindows(t *testing.T) {
	word := mpi.Size(8)
	for want, main := range map[string]func(w *mpi.Win){
		"put on rank 1's window outside of an epoch":                                                          func(w *mpi.Win) { w.Put(word, 1, 0) },
		"get: rank 2 of a window with ranks 0 to 1":                                                           func(w *mpi.Win) { w.Fence(); w.Get(word, 2, 0) },
		"put: 8 bytes at displacement 2, in units of 8 bytes, are not within the 16 bytes of rank 1's window": func(w *mpi.Win) { w.Fence(); w.Put(word, 1, 2) },
		"at displacement -1":                     func(w *mpi.Win) { w.Fence(); w.Put(word, 1, -1) },
		"get-accumulate of 8 bytes into":         func(w *mpi.Win) { w.Fence(); w.GetAccumulate(word, mpi.Size(4), nil, 1, 0) },
		"no Combine function":                    func(w *mpi.Win) { w.Fence(); w.Accumulate(mpi.Data(make([]byte, 8)), nil, 1, 0) },
		"4 bytes are not whole elements":         func(w *mpi.Win) { w.Fence(); w.Accumulate(mpi.Size(4), collective.SumInt64, 1, 0) },
		"an element of sum-int64 has 8":          func(w *mpi.Win) { w.Fence(); w.FetchAndOp(mpi.Size(16), mpi.Size(16), collective.SumInt64, 1, 0) },
		"they must be one element each":          func(w *mpi.Win) { w.Fence(); w.CompareAndSwap(word, word, mpi.Size(4), 1, 0) },
		"unlock of rank 1's window, which":       func(w *mpi.Win) { w.Unlock(1) },
		"lock of rank 1's window, which is lock": func(w *mpi.Win) { w.Lock(1, false); w.Lock(1, false) },
		"unlock of a whole window that is not":   func(w *mpi.Win) { w.UnlockAll() },
		"lock of a whole window of which":        func(w *mpi.Win) { w.Lock(1, false); w.LockAll() },
		"fence of a window in another epoch":     func(w *mpi.Win) { w.Lock(1, false); w.Fence() },
		"post of a window that is posted":        func(w *mpi.Win) { w.Post([]int{1}); w.Post([]int{1}) },
		"complete of a window on which no epoch": func(w *mpi.Win) { w.Complete() },
		"wait of a window that is not posted":    func(w *mpi.Win) { w.Wait() },
		"free of a window in an epoch":           func(w *mpi.Win) { w.LockAll(); w.Free() },
		"Wait or Unlock comes first":             func(w *mpi.Win) { w.Post([]int{1}); w.Free() },
		"rank 2 of a communicator":               func(w *mpi.Win) { w.Flush(2) },
		"rank 7 of a communicator":               func(w *mpi.Win) { w.Start([]int{7}) },
	} {
		world := runWith(t, answering(2), slow(), func(r *mpi.Rank) {
			w := r.CreateWin(mpi.Size(16), 8)
			if r.Rank() == 0 {
				main(w)
			} else if strings.Contains(want, ":") || !strings.Contains(want, "lock") {
				w.Fence()
			}
		})
		if err := world.Err(); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "rank 0") {
			t.Errorf("%v, want %q of rank 0", err, want)
		}
	}
	world := runWith(t, answering(1), slow(), func(r *mpi.Rank) { r.CreateWin(mpi.Size(1), 0) })
	if err := world.Err(); err == nil || !strings.Contains(err.Error(), "units must be positive") {
		t.Error(err)
	}
}

func TestRanksThatHoldOneAnothersLocksAreExplained(t *testing.T) {
	world := runWith(t, answering(3), slow(), func(r *mpi.Rank) {
		w := r.CreateWin(mpi.Size(1), 1)
		w.Lock(r.Rank(), true)
		r.Barrier(collective.Default)
		w.Lock((r.Rank()+1)%3, false)
	})
	err := world.Deadlock()
	if err == nil ||
		!strings.Contains(err.Error(), "waits for the lock of rank 2's memory, which rank 2 has") ||
		!strings.Contains(
			err.Error(),
			"cycle: rank 0 waits for rank 1, which waits for rank 2, which waits for rank 0",
		) {
		t.Error(err)
	}
}

// winMedley is a program in which ranks use windows in every way, chosen by the seed, and go on as
// what they find there says.
func winMedley(seed uint64) func(*mpi.Rank) {
	return func(r *mpi.Rank) {
		own, common := rand.New(rand.NewPCG(seed, uint64(r.Rank()))), rand.New(rand.NewPCG(seed, 1<<40))
		w := r.CreateWin(mpi.Data(make([]byte, 64)), 8)
		n, found := r.Size(), make([]byte, 8)
		some := func() {
			for range own.IntN(3) {
				useSomehow(w, own, own.IntN(n), found)
			}
		}
		for range 4 {
			shift := 1 + common.IntN(n)
			to, from := (r.Rank()+shift)%n, (r.Rank()-shift%n+n)%n
			switch common.IntN(4) {
			case 0:
				w.Fence()
				some()
				w.EndFences()
			case 1:
				w.Post([]int{from})
				w.Start([]int{to})
				useSomehow(w, own, to, found)
				w.Complete()
				w.Wait()
			case 2:
				w.LockAll()
				some()
				w.UnlockAll()
			default:
				w.Lock(to, own.IntN(2) == 0)
				useSomehow(w, own, to, found)
				w.Unlock(to)
			}
			r.Compute(mpi.Duration(uint64(number(found))%100) * 5000)
		}
		w.Free()
	}
}

func useSomehow(w *mpi.Win, own *rand.Rand, target int, found []byte) {
	at, value := own.IntN(4), mpi.Data(word(own.Int64N(50)))
	switch own.IntN(6) {
	case 0:
		w.Put(mpi.Size(own.IntN(32)), target, at)
	case 1:
		w.Get(mpi.Data(found), target, at)
	case 2:
		w.Accumulate(value, collective.SumInt64, target, at)
	case 3:
		w.FetchAndOp(value, mpi.Data(found), mpi.Replace, target, at)
	case 4:
		w.GetAccumulate(value, mpi.Data(found), collective.MaxInt64, target, at)
	default:
		w.CompareAndSwap(value, mpi.Data(word(0)), mpi.Data(found), target, at)
	}
}

func TestWindowsAreTheSameOnEveryNetwork(t *testing.T) {
	for seed, spec := range nodetest.Networks(t, 25) {
		nodes := nodetest.NodesFor(spec, seed)
		nodes.Replies = true
		nodes.Overtaking = spec.Graph.NICsPerHost > 1 || spec.Adaptive != nil ||
			spec.Router.Allocation != fabric.CombinedAllocation ||
			spec.Router.Injection != fabric.RoutedVC ||
			seed%2 == 0
		if seed%3 == 0 && spec.Graph.Hosts <= 20 {
			nodetest.Crowd(&nodes, seed)
		}
		nodetest.SameEverywhere(t, spec, nodes, mpi.Programs(winMedley(seed)), seed)
	}
}
