package workload

import (
	"testing"

	"pgregory.net/rapid"
)

// A ring contains every rank once, and its two directions are inverse.
func TestCycleGoesThroughAllRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 300).Draw(t, "ranks")
		c := newCycle(n, rapid.Uint64().Draw(t, "seed"), rapid.Uint64().Draw(t, "number"))
		rank, steps := 0, 0
		for {
			_, after := c.around(rank)
			if after < 0 || after >= n {
				t.Fatalf("after %d comes %d", rank, after)
			}
			if before, _ := c.around(after); before != rank {
				t.Fatalf("%d comes after %d, but before it comes %d", after, rank, before)
			}
			rank, steps = after, steps+1
			if rank == 0 {
				break
			}
		}
		if steps != n {
			t.Fatalf("the ring has %d ranks, want %d", steps, n)
		}
	})
}

// The table gives the same ring as the computed round functions.
func TestCycleByTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 1<<(2*tableBits)).Draw(t, "ranks")
		looked := newCycle(n, rapid.Uint64().Draw(t, "seed"), rapid.Uint64().Draw(t, "number"))
		if looked.table == nil {
			t.Fatal("no table")
		}
		computed := *looked
		computed.table = nil
		for range 20 {
			rank := rapid.IntRange(0, n-1).Draw(t, "rank")
			before, after := looked.around(rank)
			if b, a := computed.around(rank); b != before || a != after {
				t.Fatalf("beside %d: %d and %d by the table, %d and %d computed", rank, before, after, b, a)
			}
		}
	})
}

// A listed ring is the same as the ring of which it is the list, and only the newest rings stay listed.
func TestListedRings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 500).Draw(t, "ranks")
		k := &cycles{seed: rapid.Uint64().Draw(t, "seed")}
		listed := 0
		for i := range uint64(3 * newestListed) {
			computed := newCycle(n, k.seed, i)
			for rank := range n {
				before, after := k.around(n, i, rank)
				if b, a := computed.around(rank); b != before || a != after {
					t.Fatalf("beside %d: %d and %d in the list, %d and %d computed", rank, before, after, b, a)
				}
			}
		}
		for i := range k.kept {
			if r := k.kept[i].Load(); r != nil && r.list.Load() != nil {
				listed++
			}
		}
		if listed != newestListed {
			t.Errorf("%d rings are listed, want %d", listed, newestListed)
		}
	})
}

// Over many rings, every other rank is the next one about equally often.
func TestCycleIsUniform(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5, 6, 7, 8, 12, 16, 31, 100} {
		const each = 2000
		count := make([]int, n)
		for i := range each * (n - 1) {
			c := newCycle(n, 1, uint64(i))
			_, after := c.around(n / 2)
			count[after]++
		}
		for rank, got := range count {
			switch {
			case rank == n/2 && got != 0:
				t.Errorf("%d ranks: a rank follows itself", n)
			case rank != n/2 && (got < each*9/10 || got > each*11/10):
				t.Errorf("%d ranks: rank %d follows %d times, expected about %d", n, rank, got, each)
			}
		}
	}
}

func BenchmarkAround(b *testing.B) {
	c := newCycle(65536, 1, 1)
	for i := 0; b.Loop(); i++ {
		c.around(i & 0xffff)
	}
}
