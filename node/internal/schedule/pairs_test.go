package schedule

import (
	"math/rand/v2"
	"testing"

	"fabricast/fabric"
)

// A table of pairs holds what a map holds.
func TestPairsAreLikeAMap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var table pairs
	numbers, held := map[Pair]uint16{}, map[Pair]fabric.MsgID{}
	for range 20_000 {
		p := Pair{random.Int32N(60), random.Int32N(60)}
		if random.IntN(100) == 0 {
			p = Pair{1<<31 - 1, 1<<31 - 1 - random.Int32N(10)}
		}
		i := table.at(p)
		if table.numbers[i] != numbers[p] || table.first(i) != held[p] {
			t.Fatalf("%v has %d and %d, want %d and %d", p, table.numbers[i], table.first(i), numbers[p], held[p])
		}
		numbers[p]++
		table.numbers[i]++
		if random.IntN(10) == 0 {
			held[p] = fabric.MsgID(random.Uint32())
			table.hold(i, held[p])
		}
	}
	for i, key := range table.keys {
		if _, known := numbers[pair(key)]; key != 0 && !known {
			t.Errorf("entry %d holds %v, which was not used", i, pair(key))
		}
	}
	if table.used != len(numbers) {
		t.Errorf("%d pairs, want %d", table.used, len(numbers))
	}
}
