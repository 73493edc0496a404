package node

import (
	"testing"

	"pgregory.net/rapid"
)

func TestTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table table
		model := map[key]uint32{}
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			k := key{
				rank: rapid.Int32Range(0, 20).Draw(t, "rank"), source: rapid.Int32Range(-1, 3).Draw(t, "source"),
				tag: rapid.Int32Range(-1, 1).Draw(t, "tag"),
			}
			i := table.find(k)
			if (i >= 0) != (model[k] != 0) || i >= 0 && table.slots[i].head != model[k] {
				t.Fatalf("find(%v) = %d, want element %d", k, i, model[k])
			}
			if i >= 0 {
				table.remove(i)
				delete(model, k)
			} else {
				element := rapid.Uint32Range(1, 1<<31).Draw(t, "element")
				table.insert(k, element, true)
				model[k] = element
			}
		}
		if table.count != len(model) {
			t.Fatalf("count %d, want %d", table.count, len(model))
		}
		for k, element := range model {
			if i := table.find(k); i < 0 || table.slots[i].head != element {
				t.Fatalf("%v is lost", k)
			}
		}
	})
}
