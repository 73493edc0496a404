package run

import (
	"cmp"
	"slices"

	"fabricast/ethernet"
	"fabricast/internal/meter"
	"fabricast/internal/units"
	"fabricast/record"
)

// PausesResult says who paused whom, and how pauses spread, in a network of routers that pause
// senders.
type PausesResult struct {
	// Links is the number of links whose sender was paused, of any class.
	Links int `json:"links"`
	// Roots are the links for which packets waited when pauses began that no other pause explains, those
	// with the longest sum of these first, at most mostRoots.
	Roots []PauseRoot `json:"roots"`
	// Senders are those that were paused, by what for, those with the longest sum first, at most mostPaused.
	Senders []PausedSender `json:"paused"`
}

// PauseRoot is a link that could not take what was sent to it, and how far pauses spread from it.
type PauseRoot struct {
	Link  string     `json:"link"` // where it starts
	Class int        `json:"class"`
	Time  units.Time `json:"paused_ps"` // sum of the pauses that began for it, but while it was paused itself
	// Links is the number of links that were paused for it, or for one that was; Hosts how many of them begin at
	// NICs; Depth how many pauses follow from one another at most.
	Links int `json:"links"`
	Hosts int `json:"nics"`
	Depth int `json:"depth"`
}

// PausedSender is a link whose sender was paused by the router at its end, because of packets for
// another link.
type PausedSender struct {
	Link   string     `json:"link"`
	For    string     `json:"for"`
	Class  int        `json:"class"`
	Pauses int64      `json:"pauses"`
	Time   units.Time `json:"paused_ps"`
	// PassedOn and PassedTime are those of the pauses that began while the other link was paused itself.
	PassedOn   int64      `json:"passed_on"`
	PassedTime units.Time `json:"passed_on_ps"`
	First      units.Time `json:"first_ps"`
	Longest    units.Time `json:"longest_ps"`
}

// Limits on the lists of a PausesResult.
const (
	mostRoots  = 20
	mostPaused = 100
)

// pauses returns the rows of the table of pauses, of all links; nil if routers do not pause.
func (s *simulation) pauses(end units.Time) []record.Pause {
	n := s.network.lossy
	if n == nil || !n.Pauses() {
		return nil
	}
	rows := []record.Pause{}
	links, nics := ethernet.LinkNumbers(n.Graph)
	for _, p := range n.Pausings(int64(end)) {
		rows = append(rows, record.Pause{
			Link: p.PausedLink(n.Graph, links, nics), For: links[p.Out], Class: int32(p.Class),
			Pauses: p.Count, Time: p.Time, PassedOn: p.PassedOn, PassedTime: p.PassedTime,
			First: p.First, Longest: p.Longest,
		})
	}
	slices.SortFunc(rows, func(a, b record.Pause) int {
		return cmp.Or(cmp.Compare(a.Link, b.Link), cmp.Compare(a.For, b.For), cmp.Compare(a.Class, b.Class))
	})
	return rows
}

// pausesOf sums up the rows of the table of pauses; nil if there are none.
func pausesOf(rows []record.Pause, m meter.Links) *PausesResult {
	if len(rows) == 0 {
		return nil
	}
	names := namesOf(rows, m)
	r := &PausesResult{}
	paused := map[int32]bool{}
	for _, p := range rows {
		paused[p.Link] = true
		r.Senders = append(r.Senders, PausedSender{
			Link: names[p.Link].name, For: names[p.For].name, Class: int(p.Class), Pauses: p.Pauses, Time: units.Time(p.Time),
			PassedOn: p.PassedOn, PassedTime: units.Time(p.PassedTime), First: units.Time(p.First), Longest: units.Time(p.Longest),
		})
	}
	r.Links = len(paused)
	slices.SortStableFunc(r.Senders, func(a, b PausedSender) int { return cmp.Compare(b.Time, a.Time) })
	r.Senders = r.Senders[:min(len(r.Senders), mostPaused)]
	r.Roots = rootsOf(rows, names)
	return r
}

// named is a link with a name.
type named struct {
	name string
	nic  bool // it begins at a NIC
}

// namesOf returns the links of rows.
func namesOf(rows []record.Pause, m meter.Links) map[int32]named {
	names := map[int32]named{}
	for _, p := range rows {
		names[p.Link], names[p.For] = named{}, named{}
	}
	for row := range m.Rows() {
		if _, needed := names[row.Link]; needed {
			names[row.Link] = named{row.Where(), row.Kind == record.Injection}
		}
	}
	return names
}

// rootsOf returns the roots of pauses, and follows from each the links that were paused for it.
func rootsOf(rows []record.Pause, names map[int32]named) []PauseRoot {
	type place struct{ link, class int32 }
	direct, passed, times := map[place][]place{}, map[place][]place{}, map[place]int64{}
	var order []place
	for _, p := range rows {
		from, to := place{p.For, p.Class}, place{p.Link, p.Class}
		if p.Pauses > p.PassedOn {
			if direct[from] == nil {
				order = append(order, from)
			}
			direct[from] = append(direct[from], to)
			times[from] += p.Time - p.PassedTime
		}
		if p.PassedOn > 0 {
			passed[from] = append(passed[from], to)
		}
	}
	slices.SortFunc(order, func(a, b place) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a.link, b.link), cmp.Compare(a.class, b.class))
	})
	var list []PauseRoot
	for _, root := range order[:min(len(order), mostRoots)] {
		x := PauseRoot{Link: names[root.link].name, Class: int(root.class), Time: units.Time(times[root])}
		seen := map[place]bool{root: true}
		for next := direct[root]; len(next) > 0; {
			var further []place
			before := x.Links
			for _, p := range next {
				if !seen[p] {
					seen[p] = true
					x.count(names[p.link])
					further = append(further, passed[p]...)
				}
			}
			if x.Links > before {
				x.Depth++
			}
			next = further
		}
		list = append(list, x)
	}
	return list
}

// count counts a link that was paused.
func (x *PauseRoot) count(link named) {
	x.Links++
	if link.nic {
		x.Hosts++
	}
}
