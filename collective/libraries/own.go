package libraries

import (
	"fmt"
	"slices"
	"strings"

	"fabricast/collective"
)

// writeOwn writes a table of package tables.
func writeOwn(w *writer, all []Decisions) {
	for i := range all {
		d := &all[i]
		for j := range d.Bands {
			ranks := d.ranks(j).words("ranks")
			steps := merged(d.Kind, d.Bands[j].Steps)
			for k := range steps {
				s := span{low: steps[k].From}
				if k+1 < len(steps) {
					s.high = steps[k+1].From
				}
				for _, a := range steps[k].Ranking {
					w.printf("%s\n", line(d.Kind, a, append(ranks, s.words("bytes")...)...))
				}
			}
		}
	}
}

// merged returns steps with the algorithms that some call gets, without steps that do the same as the
// one before.
func merged(kind collective.Kind, steps []Step) (list []Step) {
	for _, s := range steps {
		s.Ranking = untilAll(kind, s.Ranking)
		if len(list) == 0 || !slices.Equal(list[len(list)-1].Ranking, s.Ranking) {
			list = append(list, s)
		}
	}
	return list
}

// untilAll returns the algorithms of a ranking that some call gets: the first one, and if that needs a
// power of two, an even number of ranks, a commutative operation or a machine, others that need less.
func untilAll(kind collective.Kind, ranking []collective.Algorithm) (list []collective.Algorithm) {
	var have []*collective.Info
	for _, a := range ranking {
		info := collective.InfoOf(kind, a)
		if slices.ContainsFunc(have, func(h *collective.Info) bool {
			return (!h.PowerOfTwo || info.PowerOfTwo) && (!h.Even || info.Even || info.PowerOfTwo) &&
				(!h.CommutativeOnly || info.CommutativeOnly) && (h.Needs == collective.NeedsNothing || h.Needs == info.Needs)
		}) {
			continue
		}
		have, list = append(have, info), append(list, a)
	}
	return list
}

// words returns the conditions that a figure is in the span.
func (s span) words(figure string) (list []string) {
	if s.low > 0 {
		list = append(list, fmt.Sprintf("%s>=%d", figure, s.low))
	}
	if s.high > 0 {
		list = append(list, fmt.Sprintf("%s<%d", figure, s.high))
	}
	return list
}

// line returns a line of a table.
func line(kind collective.Kind, a collective.Algorithm, conditions ...string) string {
	return strings.TrimRight(fmt.Sprintf("%-14s  %-24s  %s", kind, a, strings.Join(conditions, " ")), " ")
}
