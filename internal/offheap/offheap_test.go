package offheap

import (
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// TestArraysAreApart: arrays of an arena of any kind are zeroed, begin with a cache line, and keep what is
// written to each of them.
func TestArraysAreApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Arena{
			Growing: rapid.Bool().Draw(t, "growing"), Large: rapid.Bool().Draw(t, "large"),
			Parts: rapid.IntRange(0, 3).Draw(t, "parts"),
		}
		defer a.Free()
		var arrays [][]byte
		for i := range rapid.IntRange(1, 6).Draw(t, "arrays") {
			most := rapid.SampledFrom([]int{100, 1 << 16, chunk / 4, chunk / 2}).Draw(t, "most")
			s, err := Make[byte](&a, rapid.IntRange(1, most).Draw(t, "size"))
			if err != nil {
				t.Fatal(err)
			}
			if uintptr(unsafe.Pointer(&s[0]))%lineSize != 0 {
				t.Fatalf("array %d begins at %p", i, &s[0])
			}
			for _, at := range []int{0, len(s) / 2, len(s) - 1} {
				if s[at] != 0 {
					t.Fatalf("array %d has %d at %d", i, s[at], at)
				}
			}
			for _, at := range []int{0, len(s) / 2, len(s) - 1} {
				s[at] = byte(i + 1)
			}
			arrays = append(arrays, s)
		}
		for i, s := range arrays {
			for _, at := range []int{0, len(s) / 2, len(s) - 1} {
				if s[at] != byte(i+1) {
					t.Fatalf("array %d has %d at %d", i, s[at], at)
				}
			}
		}
	})
}
