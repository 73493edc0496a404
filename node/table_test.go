package node

import (
	"testing"

	"fabricast/node/internal/core"
	"fabricast/node/internal/model"

	"pgregory.net/rapid"
)

func TestTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const ranks = 5 // each with more queues than its record holds
		b := bare(t, ranks)
		reference := map[core.Key]uint32{}
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			k := core.Key{
				Rank: rapid.Int32Range(0, ranks-1).
					Draw(t, "rank"),
				Source: rapid.Int32Range(-1, 9).Draw(t, "source"),
				Tag:    rapid.Int32Range(-1, 1).Draw(t, "tag"),
			}
			r := &b.ranks[k.Rank]
			i := b.matching.Find(r, k, k.Hash())
			if (i >= 0) != (reference[k] != 0) || i >= 0 && b.matching.Queue(r, i).Element() != reference[k] {
				t.Fatalf("find(%v) = %d, want element %d", k, i, reference[k])
			}
			if i >= 0 {
				b.matching.Remove(r, i)
				delete(reference, k)
			} else {
				element := core.IndexOf(b.emit(k.Rank).Recv(model.Size(0), k.Source, k.Tag, k.Context).ID)
				b.matching.Insert(r, k.Hash(), element, core.PostedQueue)
				reference[k] = element
			}
		}
		if b.matchingQueues() != len(reference) {
			t.Fatalf("count %d, want %d", b.matchingQueues(), len(reference))
		}
		for k, element := range reference {
			r := &b.ranks[k.Rank]
			if i := b.matching.Find(r, k, k.Hash()); i < 0 || b.matching.Queue(r, i).Element() != element {
				t.Fatalf("%v is lost", k)
			}
		}
	})
}
