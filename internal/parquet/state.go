package parquet

import (
	"encoding/binary"

	"fabricast/internal/snapshot"
)

// State goes over a table that is being written: what is not in its file yet, and what the footer has
// to say of the rest. All else is in the file then. To restore it, the file must end where it ended.
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
	t.footer.state(v)
}

// state goes over what has been collected of a column.
func (c *columnWriter) state(v *snapshot.Visitor) {
	snapshot.List(v, &c.ints)
	snapshot.List(v, &c.codes)
	snapshot.List(v, &c.plain)
	snapshot.List(v, &c.levels)
	snapshot.List(v, &c.entries)
	snapshot.List(v, &c.pages)
	snapshot.Value(v, &c.extremes)
	c.chunk.state(v)
	if v.Restores() && c.Coding == Dictionary {
		c.words = wordsOf(c.entries)
	}
}

// wordsOf returns the codes of a dictionary's entries.
func wordsOf(entries []byte) map[string]uint32 {
	words := map[string]uint32{}
	for len(entries) >= 4 {
		end := 4 + int(binary.LittleEndian.Uint32(entries))
		if end > len(entries) {
			break
		}
		words[string(entries[4:end])] = uint32(len(words))
		entries = entries[end:]
	}
	return words
}

// state goes over the row groups that have been written.
func (f *footer) state(v *snapshot.Visitor) {
	snapshot.Value(v, &f.rows)
	f.groups = resized(v, f.groups)
	for i := range f.groups {
		g := &f.groups[i]
		snapshot.Value(v, &g.rows)
		snapshot.Value(v, &g.bytes)
		snapshot.Value(v, &g.offset)
		g.chunks = resized(v, g.chunks)
		for k := range g.chunks {
			g.chunks[k].state(v)
		}
	}
}

// resized goes over the length of a list whose elements have pointers.
func resized[T any](v *snapshot.Visitor, list []T) []T {
	if n := v.Length(len(list)); v.Restores() {
		return make([]T, n)
	}
	return list
}

// state goes over what the footer says of a column of a row group.
func (c *chunk) state(v *snapshot.Visitor) {
	snapshot.Value(v, &c.kind)
	snapshot.Value(v, &c.codec)
	snapshot.Value(v, &c.values)
	snapshot.Value(v, &c.uncompressed)
	snapshot.Value(v, &c.compressed)
	snapshot.Value(v, &c.data)
	snapshot.Value(v, &c.dictionary)
	snapshot.Value(v, &c.nulls)
	snapshot.List(v, &c.encodings)
	if len(c.encodings) == 0 {
		c.encodings = nil
	}
	if !v.Flag(c.extremes != nil) {
		c.extremes = nil
		return
	}
	if v.Restores() {
		c.extremes = &extremes{}
	}
	snapshot.Value(v, c.extremes)
}
