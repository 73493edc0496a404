package data

import (
	"cmp"
	"slices"
)

// ranksTable returns the table of ranks with the routers of their hosts. If there are more than
// mostRanks, it contains those that ended last.
func (b *builder) ranksTable() *frame {
	if b.ranks == nil {
		return nil
	}
	f := &frame{rows: b.ranks.rows, columns: slices.Clone(b.ranks.columns)}
	if routers := b.routersOfRanks(); routers != nil {
		f.addInts("router", routers)
	}
	ends := f.column("end_ps")
	if f.rows <= mostRanks || ends == nil {
		return f
	}
	rows := upTo(f.rows)
	slices.SortStableFunc(rows, func(x, y int32) int { return cmp.Compare(ends.ints[y], ends.ints[x]) })
	return f.pick(rows[:mostRanks])
}

// routersOfRanks returns, for each rank, the router of its host's first NIC.
func (b *builder) routersOfRanks() []int64 {
	hosts := b.ranks.column("host")
	if b.nics == nil || hosts == nil || !b.nics.has("host", "router") {
		return nil
	}
	at := map[int64]int64{}
	nicHosts, nicRouters := b.nics.column("host").ints, b.nics.column("router").ints
	for i, host := range nicHosts {
		if _, seen := at[host]; !seen {
			at[host] = nicRouters[i]
		}
	}
	routers := make([]int64, len(hosts.ints))
	for i, host := range hosts.ints {
		routers[i] = at[host]
	}
	return routers
}
