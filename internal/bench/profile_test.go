package bench

import (
	"context"
	"testing"
)

// BenchmarkCases runs short forms of the cases that between them take every path that is often
// taken. scripts/profile makes of it the profile by which the command is compiled.
func BenchmarkCases(b *testing.B) {
	for _, name := range []string{"nsim-64k", "in-cache", "stencil-512k", "uniform-64k", "flattened-butterfly", "fat-tree", "fat-tree-32-16k", "fat-tree-32-256", "dragonfly-16k-16k", "slim-fly-17-256", "slim-fly-43-256", "general-voq", "general-adaptive", "hyperx-16-16k", "hyperx-16-voq", "dragonfly-16k-ugal"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Measure(context.Background(), name, false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
