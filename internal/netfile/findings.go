package netfile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fabricast/internal/humanize"
	"fabricast/internal/units"
)

// examined looks for what is probably wrong in a network and adds it to the findings: links that are
// not like those of most other switches. n may be nil.
func (n *Network) examined() *Network {
	if n == nil {
		return nil
	}
	x := newExaminer(n)
	if n.Spec.Size().Hosts == 0 {
		n.Reading.find(NoHosts, 0, "no program and no traffic can run on a network without them")
	}
	x.unreachable()
	if x.layered() {
		x.sameLevel()
		x.uplinks()
		x.speeds()
	}
	slices.SortStableFunc(n.Reading.Findings, func(a, b Finding) int { return cmp.Compare(a.Line, b.Line) })
	n.Reading.Format = cmp.Or(n.Reading.Format, edgesFormat)
	return n
}

// examiner compares the switches of a network with one another.
type examiner struct {
	*Network
	level []int   // by router: 0 with hosts, else its distance from the nearest router with hosts
	at    [][]int // by router: its links, as indices of Spec.Edges
}

// unleveled is the level of a router that no router with hosts reaches.
const unleveled = -1

func newExaminer(n *Network) *examiner {
	x := &examiner{Network: n, level: make([]int, len(n.Spec.Names)), at: make([][]int, len(n.Spec.Names))}
	for i, e := range n.Spec.Edges {
		x.at[e.A] = append(x.at[e.A], i)
		x.at[e.B] = append(x.at[e.B], i)
	}
	var queue []int
	for r, hosts := range n.Spec.Hosts {
		x.level[r] = unleveled
		if hosts > 0 {
			x.level[r] = 0
			queue = append(queue, r)
		}
	}
	for i := 0; i < len(queue); i++ {
		r := queue[i]
		for _, e := range x.at[r] {
			if far := x.far(e, r); x.level[far] == unleveled {
				x.level[far] = x.level[r] + 1
				queue = append(queue, far)
			}
		}
	}
	return x
}

// far returns the router at the other end of a link.
func (x *examiner) far(edge, router int) int {
	e := x.Spec.Edges[edge]
	return e.A + e.B - router
}

// unreachable reports routers that no path joins to most of the routers with hosts.
func (x *examiner) unreachable() {
	part := make([]int, len(x.level)) // by router: number of its part, from 1
	var hosts, first []int            // by part
	for r := range part {
		if part[r] > 0 {
			continue
		}
		hosts, first = append(hosts, 0), append(first, r)
		part[r] = len(hosts)
		queue := []int{r}
		for i := 0; i < len(queue); i++ {
			hosts[len(hosts)-1] += x.Spec.Hosts[queue[i]]
			for _, e := range x.at[queue[i]] {
				if far := x.far(e, queue[i]); part[far] == 0 {
					part[far] = len(hosts)
					queue = append(queue, far)
				}
			}
		}
	}
	most := 0
	for i := range hosts {
		if hosts[i] > hosts[most] {
			most = i
		}
	}
	const listed = 20
	for i, r := range first {
		if i != most && len(x.Reading.Findings) < listed {
			x.Reading.find(Unreachable, int(x.lines[r]), "no path joins switch %s (and %s there) to switch %s",
				x.Spec.Names[r], humanize.Plural(hosts[i], "host"), x.Spec.Names[first[most]])
		}
	}
}

// layered reports whether the network is a tree of levels, perhaps with a few wrong cables: some
// router has no hosts, and at most one link in eight is not between neighbouring levels.
func (x *examiner) layered() bool {
	spines, same := 0, 0
	for _, level := range x.level {
		if level > 0 {
			spines++
		}
	}
	for _, e := range x.Spec.Edges {
		if x.level[e.A] == x.level[e.B] {
			same++
		}
	}
	return spines > 0 && 8*same <= len(x.Spec.Edges)
}

func (x *examiner) line(edge int) int {
	if edge < len(x.edgeLines) {
		return int(x.edgeLines[edge])
	}
	return 0
}

// sameLevel reports links between two routers of one level.
func (x *examiner) sameLevel() {
	for i, e := range x.Spec.Edges {
		if level := x.level[e.A]; level == x.level[e.B] && level >= 0 {
			x.Reading.find(WrongCable, x.line(i), "%s and %s are of one level, and other switches of it have no links to each other",
				x.port(i, e.A), x.port(i, e.B))
		}
	}
}

// port names the end of a link at a router.
func (x *examiner) port(edge, router int) string {
	name := "switch " + x.Spec.Names[router]
	if x.Spec.Labels == nil || edge >= len(x.Spec.Labels.Ports) {
		return name
	}
	side := 0
	if x.Spec.Edges[edge].A != router {
		side = 1
	}
	if number := x.Spec.Labels.Ports[edge][side]; number > 0 {
		return fmt.Sprintf("port %d of %s", number, name)
	}
	return name
}

// uplinks compares the routers of each level and sort: how many links they have to the level above,
// and how many to each router there. What most of them have is taken to be meant.
func (x *examiner) uplinks() {
	for level := range slices.Max(x.level) {
		alike := map[int]map[int]map[int][]int{} // by sort: links of each router, by the router above
		for r, l := range x.level {
			if l != level {
				continue
			}
			sort := x.sort(r)
			if alike[sort] == nil {
				alike[sort] = map[int]map[int][]int{}
			}
			alike[sort][r] = x.upward(r)
		}
		for _, sort := range slices.Sorted(maps.Keys(alike)) {
			x.compare(alike[sort])
		}
	}
}

// sort returns the sort of a router.
func (x *examiner) sort(router int) int {
	if router < len(x.sorts) {
		return x.sorts[router]
	}
	return 0
}

// upward returns the links of a router to the level above, by the router there.
func (x *examiner) upward(r int) map[int][]int {
	list := map[int][]int{}
	for _, e := range x.at[r] {
		if far := x.far(e, r); x.level[far] == x.level[r]+1 {
			list[far] = append(list[far], e)
		}
	}
	return list
}

// compare reports the routers of a level whose links up are not like those of most.
func (x *examiner) compare(up map[int]map[int][]int) {
	counts, each := map[int]int{}, map[int]int{} // routers by links up; pairs by parallel links
	for _, list := range up {
		links := 0
		for _, edges := range list {
			links += len(edges)
			each[len(edges)]++
		}
		counts[links]++
	}
	links, agreeing := mode(counts)
	width, pairs := mode(each)
	total := 0
	for _, n := range each {
		total += n
	}
	if len(up) < 3 || 2*agreeing <= len(up) {
		return // no number is that of most
	}
	regular := 10*pairs >= 8*total
	for _, r := range slices.Sorted(maps.Keys(up)) {
		x.router(r, up[r], links, width, regular)
	}
}

// mode returns the most frequent value, the larger of two, and how often it is.
func mode(counts map[int]int) (value, often int) {
	for _, v := range slices.Sorted(maps.Keys(counts)) {
		if counts[v] >= often {
			value, often = v, counts[v]
		}
	}
	return value, often
}

// router compares one router with most: links up in all, and width to each router above.
func (x *examiner) router(r int, up map[int][]int, links, width int, regular bool) {
	own := 0
	var more, less []string
	line := 0
	for _, far := range slices.Sorted(maps.Keys(up)) {
		edges := up[far]
		own += len(edges)
		switch {
		case len(edges) > width:
			more = append(more, fmt.Sprintf("%d to %s", len(edges), x.Spec.Names[far]))
			line = cmp.Or(line, x.line(edges[len(edges)-1]))
		case len(edges) < width:
			less = append(less, fmt.Sprintf("%d to %s", len(edges), x.Spec.Names[far]))
		}
	}
	name := x.Spec.Names[r]
	at := int(x.lines[r])
	switch {
	case own < links:
		text := fmt.Sprintf("switch %s has %s up, where most of its level have %d", name, humanize.Plural(own, "link"), links)
		if regular && len(less) > 0 {
			text += ": " + strings.Join(less, ", ") + " instead of " + fmt.Sprint(width)
		}
		x.Reading.find(MissingLink, at, "%s", text)
	case own > links:
		x.Reading.find(UnlikeUplink, at, "switch %s has %s up, where most of its level have %d", name,
			humanize.Plural(own, "link"), links)
	case regular && len(more) > 0:
		kind, missing := UnlikeUplink, ""
		if len(less) > 0 {
			missing = " and only " + strings.Join(less, ", ")
		} else if others := x.without(r, up); others != "" {
			missing = " and none to " + others
		}
		if missing != "" {
			kind = WrongCable
		}
		x.Reading.find(kind, cmp.Or(line, at), "switch %s has %s%s, where %d to each is usual", name,
			"links: "+strings.Join(more, ", "), missing, width)
	}
}

// without names the routers of the level above to which a router has no link; "" if there are more
// than one, because then not every router is joined to all above.
func (x *examiner) without(r int, up map[int][]int) string {
	name := ""
	for far, level := range x.level {
		if _, joined := up[far]; level != x.level[r]+1 || joined {
			continue
		}
		if name != "" {
			return ""
		}
		name = x.Spec.Names[far]
	}
	return name
}

// speeds reports links between two levels that are slower than most.
func (x *examiner) speeds() {
	byLevel := map[int]map[units.Rate][]int{} // links by the lower level and bandwidth
	for i, e := range x.Spec.Edges {
		rate := x.Cable(e.Class).Bandwidth
		if rate == nil || x.level[e.A] == x.level[e.B] {
			continue
		}
		level := min(x.level[e.A], x.level[e.B])
		if byLevel[level] == nil {
			byLevel[level] = map[units.Rate][]int{}
		}
		byLevel[level][*rate] = append(byLevel[level][*rate], i)
	}
	for _, level := range slices.Sorted(maps.Keys(byLevel)) {
		rates, most := byLevel[level], units.Rate(0)
		for _, rate := range slices.Sorted(maps.Keys(rates)) {
			if len(rates[rate]) >= len(rates[most]) {
				most = rate
			}
		}
		for _, rate := range slices.Sorted(maps.Keys(rates)) {
			if rate >= most || 8*len(rates[rate]) > len(rates[most]) {
				continue
			}
			for _, i := range rates[rate] {
				e := x.Spec.Edges[i]
				x.Reading.find(SlowLink, x.line(i), "%s to %s has %s, where most links of its level have %s",
					x.port(i, e.A), x.port(i, e.B), rate, most)
			}
		}
	}
}

// Cable returns the bandwidth and latency that the file gives for a class of links.
func (n *Network) Cable(class uint16) Cable {
	if i := int(class) - 2; i >= 0 && i < len(n.Cables) {
		return n.Cables[i]
	}
	return Cable{}
}
