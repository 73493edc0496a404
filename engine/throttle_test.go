package engine

import "testing"

// TestThrottle: the batch shrinks while much is rolled back and grows again when little is. Where a
// larger one never lasts, it is tried less and less often.
func TestThrottle(t *testing.T) {
	var batch Throttle
	batch.begin(64)
	look := func(rolledBack uint64) int {
		batch.look(100, rolledBack)
		return batch.now
	}
	for _, want := range []int{32, 16, 8, 4, 2, 1, 1} {
		if got := look(50); got != want {
			t.Errorf("a batch of %d, want %d", got, want)
		}
	}
	tried, looks := 0, 1000
	for range looks {
		if look(map[bool]uint64{true: 50, false: 0}[batch.now > 1]); batch.now > 1 {
			tried++
		}
	}
	if tried < 10 || tried > looks/20 {
		t.Errorf("a batch that is too large is tried %d times in %d looks", tried, looks)
	}
	for range looks {
		look(0)
	}
	if batch.now != 64 {
		t.Errorf("a batch of %d though nothing is rolled back", batch.now)
	}
	batch.begin(64)
	if batch.now != 64 {
		t.Errorf("the next run begins with %d", batch.now)
	}
}
