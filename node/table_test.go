package node

import (
	"testing"

	"pgregory.net/rapid"
)

func TestTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := bare(t, 21)
		model := map[key]uint32{}
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			k := key{
				rank: rapid.Int32Range(0, 20).Draw(t, "rank"), source: rapid.Int32Range(-1, 3).Draw(t, "source"),
				tag: rapid.Int32Range(-1, 1).Draw(t, "tag"),
			}
			i := b.find(k)
			if (i >= 0) != (model[k] != 0) || i >= 0 && b.queues.slots[i].element() != model[k] {
				t.Fatalf("find(%v) = %d, want element %d", k, i, model[k])
			}
			if i >= 0 {
				b.queues.remove(i)
				delete(model, k)
			} else {
				element := b.emit(k.rank).Recv(Size(0), k.source, k.tag, k.context).ID
				b.queues.insert(k.hash(), element, postedQueue)
				model[k] = element
			}
		}
		if b.queues.count != len(model) {
			t.Fatalf("count %d, want %d", b.queues.count, len(model))
		}
		for k, element := range model {
			if i := b.find(k); i < 0 || b.queues.slots[i].element() != element {
				t.Fatalf("%v is lost", k)
			}
		}
	})
}
