package parquet

import "fabricast/internal/snapshot"

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
	thriftState(v, &t.footer)
}

// state goes over what has been collected of a column.
func (c *columnWriter) state(v *snapshot.Visitor) {
	snapshot.List(v, &c.values.Ints)
	snapshot.List(v, &c.values.Floats)
	textState(v, &c.values.Texts)
	textState(v, &c.entries)
	snapshot.List(v, &c.levels)
	snapshot.List(v, &c.pages)
	snapshot.Value(v, &c.extremes)
	thriftState(v, &c.chunk)
	if v.Restores() {
		c.words = map[string]uint32{}
		for i, s := range c.entries {
			c.words[s] = uint32(i)
		}
	}
}

// textState goes over texts.
func textState(v *snapshot.Visitor, texts *[]string) {
	n := v.Length(len(*texts))
	packed := plain(nil, Text, &Values{Texts: *texts})
	snapshot.List(v, &packed)
	if v.Restores() {
		var err error
		if *texts, err = decodeTexts(packed, min(n, len(packed))); err != nil {
			v.Fail(err)
		}
	}
}

// thriftState goes over the structure at which s points.
func thriftState(v *snapshot.Visitor, s any) {
	packed := encodeThrift(s)
	snapshot.List(v, &packed)
	if v.Restores() {
		if _, err := decodeThrift(packed, s); err != nil {
			v.Fail(err)
		}
	}
}
