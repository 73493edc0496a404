package fabric

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestVicinity: what goes by the steps of each process reaches every other one on a shortest way.
func TestVicinity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 20).Draw(t, "processes")
		links := make([][]int, n)
		join := func(p, q int) {
			if p != q && !slices.Contains(links[p], q) {
				links[p], links[q] = append(links[p], q), append(links[q], p)
			}
		}
		for p := 1; p < n; p++ {
			join(p, rapid.IntRange(0, p-1).Draw(t, "linked to"))
		}
		for range rapid.IntRange(0, n).Draw(t, "more links") {
			join(rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to"))
		}
		ways := make([]*vicinity, n)
		for p := range ways {
			slices.Sort(links[p])
			ways[p] = newVicinity(p, links)
		}
		for from := range n {
			distance := distances(links, from)
			for to := range n {
				steps := 0
				for at := from; at != to; steps++ {
					next := int(ways[at].step[to])
					if !slices.Contains(links[at], next) {
						t.Fatalf("from %d to %d: %d is no neighbour of %d: %v", from, to, next, at, links)
					}
					at = next
				}
				if steps != distance[to] {
					t.Fatalf("from %d to %d: %d steps, expected %d: %v", from, to, steps, distance[to], links)
				}
			}
		}
	})
}

// distances returns how many links lie between a process and each other one.
func distances(links [][]int, from int) []int {
	list := make([]int, len(links))
	for queue, seen := []int{from}, map[int]bool{from: true}; len(queue) > 0; queue = queue[1:] {
		for _, to := range links[queue[0]] {
			if !seen[to] {
				seen[to], list[to] = true, list[queue[0]]+1
				queue = append(queue, to)
			}
		}
	}
	return list
}

// TestVicinityApart: processes that no links join have no way to each other.
func TestVicinityApart(t *testing.T) {
	if newVicinity(0, [][]int{{1}, {0}, {3}, {2}}) != nil {
		t.Error("a way where there is none")
	}
}
