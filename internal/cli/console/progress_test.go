package console

import (
	"testing"

	"fabricast"
)

func TestProgressWords(t *testing.T) {
	last := fabricast.Progress{Time: fabricast.Microsecond, Ranks: 8, Elapsed: 1e9}
	now := fabricast.Progress{
		Time:     4 * fabricast.Microsecond,
		Ranks:    8,
		Finished: 2,
		Share:    0.25,
		Left:     9e9,
		Elapsed:  3e9,
	}
	const want = "4 us simulated, 1.500 us/s, 25 % done, about 9 s left"
	if got := describe(last, now); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
