package core

import (
	"testing"

	"pgregory.net/rapid"

	"fabricast/internal/snapshot"
)

// TestPoolIsRestored: a pool that is restored hands out and saves what it did when it was saved, to
// the last bit, whatever was taken and given back before and after.
func TestPoolIsRestored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type step struct{ kind, n int }
		steps := func(name string) []step {
			return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
				return step{rapid.IntRange(0, 1).Draw(t, "kind"), rapid.IntRange(0, 3*Chunk).Draw(t, "n")}
			}), 0, 6).Draw(t, name)
		}
		var p Pool[RequestState]
		do := func(list []step, taken []uint32) []uint32 {
			for _, s := range list {
				switch s.kind {
				case 0:
					for range s.n {
						i, x := p.Alloc()
						*x = RequestState{}
						taken = append(taken, i)
					}
				case 1:
					for range min(s.n, len(taken)) {
						p.Release(taken[len(taken)-1])
						taken = taken[:len(taken)-1]
					}
				}
			}
			return taken
		}
		before := do(steps("before"), nil)
		saved, after, again := snapshot.Snapshot{
			Exact: true,
		}, snapshot.Snapshot{
			Exact: true,
		}, snapshot.Snapshot{
			Exact: true,
		}
		saved.Save(p.State)
		then := steps("then")
		do(then, append([]uint32(nil), before...))
		after.Save(p.State)
		saved.Restore(p.State)
		do(then, append([]uint32(nil), before...))
		again.Save(p.State)
		if !again.Equal(&after) {
			t.Fatal("what follows differs after the pool was restored")
		}
	})
}
