package cluster_test

import (
	"fmt"
	"sync"
	"testing"

	"fabricast/internal/cluster"
)

// TestDivide: members of divided processes are a group like one of as many processes.
func TestDivide(t *testing.T) {
	for _, shape := range [][2]int{{1, 3}, {2, 1}, {3, 2}} {
		size := shape[0] * shape[1]
		var wg sync.WaitGroup
		for _, outer := range cluster.Local(shape[0]) {
			for _, g := range cluster.Divide(outer, shape[1]) {
				wg.Go(func() {
					for round := range 3 {
						talk(t, g, size, round)
					}
				})
			}
		}
		wg.Wait()
	}
}

// talk lets a member agree with the others, and tell each something.
func talk(t *testing.T, g cluster.Group, size, round int) {
	me := g.Rank()
	values := []int64{int64(10*me + round), int64(-me)}
	if g.Least(values); values[0] != int64(round) || values[1] != int64(1-size) || g.Size() != size {
		t.Errorf("member %d of %d: the least values are %d", me, g.Size(), values)
	}
	to := make([][]byte, size)
	for p := range to {
		if (p+me+round)%3 > 0 {
			to[p] = fmt.Appendf(nil, "%d to %d", me, p)
		}
	}
	for p, data := range g.Exchange(to) {
		want := ""
		if p != me && (p+me+round)%3 > 0 {
			want = fmt.Sprintf("%d to %d", p, me)
		}
		if p != me && string(data) != want {
			t.Errorf("member %d got %q from %d, want %q", me, data, p, want)
		}
	}
}
