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

// merged returns steps whose rankings end with an algorithm that can run any call, without those that
// do the same as the one before.
func merged(kind collective.Kind, steps []Step) (list []Step) {
	for _, s := range steps {
		s.Ranking = untilAll(kind, s.Ranking)
		if len(list) == 0 || !slices.Equal(list[len(list)-1].Ranking, s.Ranking) {
			list = append(list, s)
		}
	}
	return list
}

// untilAll returns the first algorithms of a ranking, up to one that can run any call: the first one
// may need a power of two, or a commutative operation.
func untilAll(kind collective.Kind, ranking []collective.Algorithm) []collective.Algorithm {
	for i, a := range ranking {
		if info := collective.InfoOf(kind, a); !info.PowerOfTwo && !info.Even && !info.CommutativeOnly {
			return ranking[:i+1]
		}
	}
	return ranking
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
