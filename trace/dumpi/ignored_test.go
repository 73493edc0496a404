package dumpi

import (
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fabricast/trace"
)

// TestIgnored reads traces, such as those of AMG, in which the footer counts calls that are not
// recorded: calls within MPI, and calls while recording is off. Such calls of any function,
// including those that create communicators, must not change the records.
func TestIgnored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const ranks = 3
		files := make([][]byte, ranks)
		want := make([][]trace.Record, ranks)
		for rank := range files {
			w := &writer{}
			ignore := func() {
				for rapid.IntRange(0, 3).Draw(t, "more") > 0 {
					f := rapid.Uint16Range(0, functionEnter-1).Draw(t, "function")
					if rapid.Bool().Draw(t, "maker") {
						f = rapid.SampledFrom([]uint16{commDup, commSplit, commCreate, 65, isend}).Draw(t, "function")
					}
					w.ignore(f)
				}
			}
			to := int32((rank + 1) % ranks)
			for range rapid.IntRange(0, 4).Draw(t, "iterations") {
				ignore()
				w.call(isend, 0, 0, int32(100), aInt, to, int32(1), world, int32(7))
				ignore()
				w.call(wait, 0, 0, int32(7), []status32{})
				want[rank] = append(
					want[rank],
					message(trace.Start, trace.Message{Peer: to, Tag: 1, Size: 400, Request: 7}), waits(7),
				)
			}
			w.call(commDup, 0, 0, world, uint16(9))
			ignore()
			w.call(65, 0, 0, int32(3), aInt, uint8(3), uint16(9))
			want[rank] = append(want[rank], collective(trace.Operation{Kind: trace.Allreduce, Group: 1, Size: 12}))
			files[rank] = w.bytes()
		}
		dir, err := os.MkdirTemp("", "dumpi")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		s, err := Open(write(t, dir, files...))
		if err != nil {
			t.Fatal(err)
		}
		for rank := range files {
			got, _, err := read(s, rank)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(got, want[rank], func(a, b trace.Record) bool {
				return a.Kind == b.Kind && a.Message == b.Message && slices.Equal(a.Requests, b.Requests) &&
					a.Call.Kind == b.Call.Kind && a.Call.Group == b.Call.Group && a.Call.Size == b.Call.Size
			}) {
				t.Fatalf("rank %d: got %+v, want %+v", rank, got, want[rank])
			}
		}
	})
}
