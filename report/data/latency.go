package data

import "fabricast/record"

// latencies adds the latency distributions by distance and by message size.
func (b *builder) latencies() {
	f := b.read(record.LatencyTable)
	if f == nil || !f.has("by", "from", "to") {
		return
	}
	b.put("latency_by_distance", latencyBy(f, record.ByDistance, "distance_hops", ""))
	b.put("latency_by_size", latencyBy(f, record.BySize, "from_bytes", "to_bytes"))
}

// latencyBy returns the rows of the latency table for one property (distance or size). The columns
// of its bounds are renamed to from and to. If to is "", the upper bound is omitted. It returns nil
// if there are no such rows.
func latencyBy(f *frame, by, from, to string) *frame {
	var rows []int32
	for i := range f.rows {
		if f.text("by", i) == by {
			rows = append(rows, int32(i))
		}
	}
	if rows == nil {
		return nil
	}
	g := f.pick(rows)
	g.drop("by")
	g.column("from").name = from
	if to == "" {
		g.drop("to")
	} else {
		g.column("to").name = to
	}
	return g
}
