package cluster

import (
	"bytes"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// TestShip holds that all bytes arrive, whatever goes at once.
func TestShip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, most := rapid.IntRange(1, 4).Draw(t, "processes"), rapid.IntRange(1, 9).Draw(t, "most")
		to, from := make([][][]byte, n), make([][][]byte, n)
		for p := range to {
			to[p] = make([][]byte, n)
			for q := range to[p] {
				to[p][q] = rapid.SliceOfN(rapid.Byte(), 0, 30).Draw(t, "data")
			}
		}
		var wg sync.WaitGroup
		for p, g := range Local(n) {
			wg.Go(func() { from[p] = ship(g, to[p], most) })
		}
		wg.Wait()
		for p := range n {
			for q := range n {
				if p != q && !bytes.Equal(from[q][p], to[p][q]) {
					t.Fatalf("process %d got %v of %d, which sent %v", q, from[q][p], p, to[p][q])
				}
			}
		}
	})
}
