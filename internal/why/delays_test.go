package why

import (
	"testing"

	"pgregory.net/rapid"
)

func TestApportion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		time := rapid.Int64Range(0, 1<<61).Draw(t, "time")
		weights := rapid.SliceOfN(rapid.Int64Range(0, 1<<40), 1, 9).Draw(t, "weights")
		sum := int64(0)
		for i, part := range apportion(time, weights) {
			if sum += part; part < 0 || part > 0 && weights[i] == 0 && i > 0 {
				t.Fatalf("part %d is %d", i, part)
			}
		}
		if sum != time {
			t.Fatalf("the parts sum to %d", sum)
		}
	})
}
