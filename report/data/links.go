package data

import (
	"cmp"
	"slices"

	"fabricast/record"
)

// Maximum numbers of rows of a report's tables. Larger tables are cut to their most important rows.
const (
	mostLinks       = 1 << 20
	mostRanks       = 1 << 18
	mostRouterNames = 20_000 // for networks with coordinates, which determine the names
)

// orderLinks sorts the links by descending bytes if the report cannot hold all links, or the
// history of all. It records the new row of each link.
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
			slices.SortStableFunc(
				order,
				func(x, y int32) int { return cmp.Compare(bytes.ints[y], bytes.ints[x]) },
			)
			b.links = b.links.pick(order)
		}
	}
	b.rowOf = make([]int32, len(order))
	for row, link := range order {
		b.rowOf[link] = int32(row)
	}
}

// linksTable returns the table of links, without columns that can be derived from others.
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

// linkName returns the name of the link in the given row.
func (b *builder) linkName(row int) string {
	at, port := b.links.text("router_name", row), b.links.text("port_name", row)
	if at == "" {
		at = b.routers.text("name", int(b.links.int("router", row, 0)))
	}
	l := record.Link{Kind: b.links.text("kind", row), RouterName: at, PortName: port}
	return l.Where()
}

// routersTable returns the table of routers, with the utilization of their links to other routers.
func (b *builder) routersTable() *frame {
	f := b.routers
	if f == nil || b.links == nil {
		return f
	}
	f = &frame{rows: f.rows, columns: slices.Clone(f.columns)}
	f.rename("draw_x", "x")
	f.rename("draw_y", "y")
	f.rename("draw_z", "z")
	f.dropAbsent("level", "group", "c0", "c1", "c2", "c3", "c4", "c5", "c6")
	if f.rows > mostRouterNames && f.rows > 0 && f.int("c0", 0, -1) >= 0 {
		f.drop("name")
	}
	sum, most, count := make([]float64, f.rows), make([]float64, f.rows), make([]float64, f.rows)
	routers, kinds, utilization := b.links.column("router"), b.links.column(
		"kind",
	), b.links.column("utilization_fraction")
	if routers == nil || kinds == nil || utilization == nil {
		return f
	}
	for i, r := range routers.ints {
		if kinds.words[kinds.codes[i]] == record.Between && int(r) < f.rows {
			sum[r] += utilization.floats[i]
			most[r] = max(most[r], utilization.floats[i])
			count[r]++
		}
	}
	for r := range sum {
		sum[r] /= max(1, count[r])
	}
	f.addFloats("mean_utilization_fraction", sum)
	f.addFloats("max_utilization_fraction", most)
	return f
}
