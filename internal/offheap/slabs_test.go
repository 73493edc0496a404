package offheap

import (
	"testing"

	"pgregory.net/rapid"
)

// TestSlabs: arrays are zeroed and keep what is written to them, however long they are.
func TestSlabs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &Slabs{}
		var words [][]uint64
		var bytes [][]byte
		for i := range rapid.IntRange(1, 20).Draw(t, "arrays") {
			n := rapid.SampledFrom([]int{0, 1, 7, firstSlab / 8, firstSlab}).Draw(t, "length")
			w, err := Cut[uint64](s, n)
			if err != nil {
				t.Fatal(err)
			}
			b, err := Cut[byte](s, n)
			if err != nil {
				t.Fatal(err)
			}
			for j := range n {
				if w[j] != 0 || b[j] != 0 {
					t.Fatalf("array %d has %d and %d at %d, want zeros", i, w[j], b[j], j)
				}
				w[j], b[j] = uint64(i+1), byte(i+1)
			}
			words, bytes = append(words, w), append(bytes, b)
		}
		for i := range words {
			for j := range words[i] {
				if words[i][j] != uint64(i+1) || bytes[i][j] != byte(i+1) {
					t.Fatalf("array %d has %d and %d at %d, want %d", i, words[i][j], bytes[i][j], j, i+1)
				}
			}
		}
	})
}
