package data

import (
	"cmp"
	"slices"

	"fabricast/record"
)

// Rows of tables, beyond which only the most important ones are in a report.
const (
	mostLinks       = 1 << 20
	mostRanks       = 1 << 18
	mostRouterNames = 20_000 // of networks with coordinates: their names follow from these
)

// orderLinks brings the links that carried most to the front where the report has no room for
// the history of all, and notes the row of each.
func (b *builder) orderLinks() {
	if b.links == nil {
		return
	}
	order := make([]int32, b.links.rows)
	for i := range order {
		order[i] = int32(i)
	}
	if b.links.rows > mostLinks || b.links.rows > b.linkRows() {
		bytes := b.links.column("wire_bytes")
		if bytes != nil && bytes.ints != nil {
			slices.SortStableFunc(order, func(x, y int32) int { return cmp.Compare(bytes.ints[y], bytes.ints[x]) })
			b.links = b.links.pick(order)
		}
	}
	b.rowOf = make([]int32, len(order))
	for row, link := range order {
		b.rowOf[link] = int32(row)
	}
}

// linksTable is the links without what follows from other columns.
func (b *builder) linksTable() *frame {
	if b.links == nil {
		return nil
	}
	f := &frame{rows: b.links.rows, columns: slices.Clone(b.links.columns)}
	f.drop("mean_bandwidth_bytes_per_s")
	f.dropAbsent("dimension", "level")
	if b.routers != nil {
		f.drop("router_name")
	}
	if f.rows > mostLinks {
		f = f.pick(upTo(mostLinks))
	}
	return f
}

func upTo(n int) []int32 {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// linkName is where a link of a row begins.
func (b *builder) linkName(row int) string {
	at, port := b.links.text("router_name", row), b.links.text("port_name", row)
	switch {
	case at == "":
		at = b.routers.text("name", int(b.links.int("router", row, 0)))
		fallthrough
	default:
		if b.links.text("kind", row) == record.Injection {
			return port + " of " + at
		}
		return at + " " + port
	}
}

// routersTable is the routers with what their links to other routers carried.
func (b *builder) routersTable() *frame {
	f := b.routers
	if f == nil || b.links == nil {
		return f
	}
	f = &frame{rows: f.rows, columns: slices.Clone(f.columns)}
	f.dropAbsent("level", "group", "c0", "c1", "c2", "c3", "c4", "c5")
	if f.rows > mostRouterNames && f.rows > 0 && f.int("c0", 0, -1) >= 0 {
		f.drop("name")
	}
	sum, most, count := make([]float64, f.rows), make([]float64, f.rows), make([]float64, f.rows)
	routers, kinds, efficiency := b.links.column("router"), b.links.column("kind"), b.links.column("efficiency_fraction")
	if routers == nil || kinds == nil || efficiency == nil {
		return f
	}
	for i, r := range routers.ints {
		if kinds.words[kinds.codes[i]] == record.Between && int(r) < f.rows {
			sum[r] += efficiency.floats[i]
			most[r] = max(most[r], efficiency.floats[i])
			count[r]++
		}
	}
	for r := range sum {
		sum[r] /= max(1, count[r])
	}
	f.addFloats("mean_efficiency_fraction", sum)
	f.addFloats("max_efficiency_fraction", most)
	return f
}
