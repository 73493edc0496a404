package parquet

import (
	"github.com/parquet-go/parquet-go/encoding/plain"

	"fabricast/internal/snapshot"
)

// State visits the state of a table that is being written: the part that is not in its file yet,
// and the footer's data about the rest. The rest must be in the file by then. To restore the table,
// truncate the file to the length that it had then.
func (t *Writer) State(v *snapshot.Visitor) {
	if v.Restores() {
		t.out.Reset(t.to)
	} else if t.err == nil {
		t.err = t.out.Flush()
	}
	if t.err != nil {
		v.Fail(t.err)
	}
	snapshot.Value(v, &t.offset)
	snapshot.Value(v, &t.group)
	snapshot.Value(v, &t.page)
	for i := range t.columns {
		t.columns[i].state(v)
	}
	metadataState(v, &t.footer)
}

// state visits the collected data of a column.
func (c *columnWriter) state(v *snapshot.Visitor) {
	if c.spell(); v.Restores() {
		c.even = evenPage{}
	}
	snapshot.List(v, &c.values)
	snapshot.List(v, &c.levels)
	snapshot.List(v, &c.entries)
	snapshot.List(v, &c.pages)
	snapshot.Value(v, &c.least)
	snapshot.Value(v, &c.greatest)
	metadataState(v, &c.chunk)
	if v.Restores() {
		c.codes, c.lastCode = map[string]int32{}, -1
		v.Fail(plain.RangeByteArray(c.entries, func(entry []byte) error {
			c.codes[string(entry)] = int32(len(c.codes))
			return nil
		}))
	}
}

// metadataState visits one of the format's structures.
func metadataState[T any](v *snapshot.Visitor, structure *T) {
	packed := encodeMetadata(structure)
	snapshot.List(v, &packed)
	if v.Restores() {
		*structure = *new(T)
		_, err := decodeMetadata(packed, structure)
		v.Fail(err)
	}
}
