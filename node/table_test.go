package node

import (
	"testing"

	"pgregory.net/rapid"
)

func TestTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const ranks = 5 // each with more queues than its record holds
		b := bare(t, ranks)
		reference := map[key]uint32{}
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			k := key{
				rank: rapid.Int32Range(0, ranks-1).
					Draw(t, "rank"),
				source: rapid.Int32Range(-1, 9).Draw(t, "source"),
				tag:    rapid.Int32Range(-1, 1).Draw(t, "tag"),
			}
			r := &b.ranks[k.rank]
			i := b.matching.find(r, k, k.hash())
			if (i >= 0) != (reference[k] != 0) || i >= 0 && b.matching.queue(r, i).element() != reference[k] {
				t.Fatalf("find(%v) = %d, want element %d", k, i, reference[k])
			}
			if i >= 0 {
				b.matching.remove(r, i)
				delete(reference, k)
			} else {
				element := indexOf(b.emit(k.rank).Recv(Size(0), k.source, k.tag, k.context).ID)
				b.matching.insert(r, k.hash(), element, postedQueue)
				reference[k] = element
			}
		}
		if b.matchingQueues() != len(reference) {
			t.Fatalf("count %d, want %d", b.matchingQueues(), len(reference))
		}
		for k, element := range reference {
			r := &b.ranks[k.rank]
			if i := b.matching.find(r, k, k.hash()); i < 0 || b.matching.queue(r, i).element() != element {
				t.Fatalf("%v is lost", k)
			}
		}
	})
}
