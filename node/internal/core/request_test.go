package core

import (
	"testing"

	"pgregory.net/rapid"
)

// TestSizes: a receive keeps the size and the buffer that were set last, whichever are set in which
// order, and leaves no memory behind.
func TestSizes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p Requests
		for range rapid.IntRange(1, 3).Draw(t, "receives") {
			index, q := p.Receives.Alloc()
			size, buffer := int64(0), uint32(0)
			for range rapid.IntRange(1, 6).Draw(t, "steps") {
				if rapid.Bool().Draw(t, "buffer") {
					buffer = rapid.Uint32Range(0, 2).Draw(t, "number")
					p.SetBuffer(q, buffer)
				} else {
					size = rapid.SampledFrom([]int64{0, 5, IsWide - 1, IsWide, unlimited, unlimited + 1, -1}).Draw(t, "size")
					p.SetSize(q, size)
				}
				if p.Size(q) != size || p.Buffer(q) != buffer {
					t.Fatalf("size %d and buffer %d, want %d and %d", p.Size(q), p.Buffer(q), size, buffer)
				}
			}
			if index == 1 && rapid.Bool().Draw(t, "release") {
				p.ReleaseReceive(index, q)
			}
		}
		free := 0
		for i := p.wides.free; i != 0; i = *nextFree(p.wides.At(i)) {
			free++
		}
		held := 0
		for i := uint32(1); i < p.Receives.used; i++ {
			if p.Receives.At(i).Extent > IsWide {
				held++
			}
		}
		if used := max(1, int(p.wides.used)) - 1; used != free+held {
			t.Fatalf("%d wides, of which %d are free and %d are those of receives", used, free, held)
		}
	})
}
