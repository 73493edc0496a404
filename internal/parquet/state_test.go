package parquet

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"fabricast/internal/snapshot"
)

// A table whose writer is saved again and again, each time with some of it written, is the one that is
// written at once. What was written after the state was saved is cut off.
func TestStateGoesOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t)
		for n := rapid.SampledFrom([]int{0, 0, 0, 0, pageRows / 2, pageRows, 2 * pageRows}).Draw(t, "more"); len(rows) < n; {
			rows = append(rows, drawn(min(n-len(rows), 1000))...)
		}
		whole := written(t, rows, map[string]string{"a": "b"})
		var file bytes.Buffer
		w := NewTable[row](&file)
		for at := 0; at < len(rows); {
			n := rapid.IntRange(0, len(rows)-at).Draw(t, "rows")
			if n == 0 {
				n = min(len(rows)-at, 1)
			}
			if err := w.Write(rows[at : at+n]); err != nil {
				t.Fatal(err)
			}
			at += n
			var saved snapshot.Snapshot
			saved.Save(w.State)
			size := file.Len()
			_ = w.Write(rows[:min(len(rows), 40000)]) // what is lost
			file.Truncate(size)
			w = NewTable[row](&file)
			saved.Restore(w.State)
		}
		w.SetMetadata("a", "b")
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(file.Bytes(), whole) {
			t.Fatalf("%d bytes that are not the %d of a table written at once", file.Len(), len(whole))
		}
	})
}
