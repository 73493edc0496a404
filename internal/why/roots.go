package why

import (
	"cmp"
	"fmt"
	"slices"

	"fabricast/internal/humanize"
	"fabricast/record"
)

// Root is a link at the root of waits on the path: other messages passed it meanwhile, and those on
// the path waited there, or behind a chain of full buffers that leads there.
type Root struct {
	Link int32  `json:"link"`    // row in links.parquet
	Name string `json:"name"`    // its router and port
	Time int64  `json:"ps"`      // for which messages on the path waited because of it
	Rank int32  `json:"rank"`    // whose messages were waited for most; -1: those of traffic; -2: the link was down
	Most int64  `json:"most_ps"` // because of these
	All  int    `json:"ranks"`   // number of ranks whose messages were waited for; not of traffic
}

// linkDown is Root.Rank of a link that was down.
const linkDown = -2

// mostRoots is the largest number of Path.Roots.
const mostRoots = 5

// findRoots finds the roots of waits of some messages, if the folder has the table of a run with
// causes=full. A message that waits behind earlier packets of its own has no root.
func (p *Path) findRoots(folder *record.Reader, messages map[int64]bool) error {
	if len(messages) == 0 || !folder.Has(record.WaitsTable) {
		return nil
	}
	links := map[int32]map[int32]int64{} // by rank
	for row, err := range record.Rows[record.Wait](folder, record.WaitsTable) {
		if err != nil {
			return err
		}
		if !messages[row.Message] || row.Holder == row.Message {
			continue
		}
		if links[row.HolderLink] == nil {
			links[row.HolderLink] = map[int32]int64{}
		}
		rank := row.HolderSourceRank
		if row.Failed() {
			rank = linkDown
		}
		links[row.HolderLink][rank] += row.Wait
	}
	for link, ranks := range links {
		r := Root{Link: link}
		for rank, time := range ranks {
			r.Time += time
			if rank >= 0 {
				r.All++
			}
			if time > r.Most || time == r.Most && rank < r.Rank {
				r.Rank, r.Most = rank, time
			}
		}
		p.Roots = append(p.Roots, r)
	}
	slices.SortFunc(p.Roots, func(a, b Root) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Link, b.Link))
	})
	p.Roots = p.Roots[:min(len(p.Roots), mostRoots)]
	return p.nameRoots(folder)
}

// nameRoots gives the roots the names of their links.
func (p *Path) nameRoots(folder *record.Reader) error {
	for row, err := range record.Rows[record.Link](folder, record.LinksTable) {
		if err != nil {
			return err
		}
		for i := range p.Roots {
			if r := &p.Roots[i]; r.Link == row.Link {
				r.Name = row.Where()
			}
		}
	}
	return nil
}

// words says whose messages pass the link, or that it was down.
func (r *Root) words() string {
	if r.Rank == linkDown {
		return "down because of a fault"
	}
	who, others, more := "traffic", r.All, "rank"
	if r.Rank >= 0 {
		who, others, more = fmt.Sprintf("rank %d", r.Rank), r.All-1, "other rank"
	}
	who = "with messages of " + who
	if others == 0 {
		return who
	}
	return who + " and " + humanize.Plural(others, more)
}

// root names the root of most of the waits; "" if it is not known.
func (p *Path) root() string {
	if len(p.Roots) == 0 {
		return ""
	}
	r := &p.Roots[0]
	return fmt.Sprintf(" (root of %s of the waits: link %s, %s)",
		humanize.Time(r.Time), r.Name, r.words())
}

// contendedFrom is the part of the predicted time from which on waits for others count as contention.
const contendedFrom = 10

// Contention reports whether messages on the path wait for others for a tenth of the predicted time.
func (p *Path) Contention() bool {
	waits := int64(0)
	for i := range p.Parts {
		if p.Parts[i].Waits {
			waits += p.Parts[i].Time
		}
	}
	return waits > 0 && waits >= p.Predicted/contendedFrom
}
