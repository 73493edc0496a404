package libraries

import "fabricast/collective"

// Decisions says which algorithm of a collective is the fastest for which number of ranks and size.
type Decisions struct {
	Kind  collective.Kind
	Bands []Band // ascending by Ranks, at least one
}

// Band holds the decisions from a number of ranks up to that of the next band. The first band also
// holds for fewer ranks, the last one for more.
type Band struct {
	Ranks int
	Steps []Step // ascending by From; the first From is 0
}

// Step holds the decision from a size in bytes, as in tables.Call, up to that of the next step.
type Step struct {
	From int64
	// Ranking lists algorithms, the fastest first. A library that does not have an algorithm gets
	// the next one.
	Ranking []collective.Algorithm
}

// Choose returns the algorithm for a number of ranks and a size: the fastest one that accepts the
// number of ranks, or the collective's default if none does.
func (d *Decisions) Choose(ranks int, bytes int64) collective.Algorithm {
	band := d.Bands[0]
	for _, b := range d.Bands {
		if b.Ranks <= ranks {
			band = b
		}
	}
	step := band.Steps[0]
	for _, s := range band.Steps {
		if s.From <= bytes {
			step = s
		}
	}
	for _, a := range step.Ranking {
		if collective.InfoOf(d.Kind, a).Accepts(ranks) {
			return a
		}
	}
	return collective.Default
}

// span is a range of numbers, without high. high 0 means that there is no upper bound.
type span struct{ low, high int64 }

// ranks returns the numbers of ranks for which band i decides.
func (d *Decisions) ranks(i int) span {
	var s span
	if i > 0 {
		s.low = int64(d.Bands[i].Ranks)
	}
	if i+1 < len(d.Bands) {
		s.high = int64(d.Bands[i+1].Ranks)
	}
	return s
}

// choice is what a library does in a step: one of its algorithms, with options.
type choice[A comparable] struct {
	from int64
	is   A
	of   collective.Algorithm // which stands for this one
}

// choices returns the choices of a library in a band. find returns its algorithm for a ranking, and
// which of the ranking that is; -1 if it has none. A step for which it has none is reported to
// missing, and continues the previous one.
func choices[A comparable](
	b Band, find func([]collective.Algorithm) (A, int), missing func(wanted, got collective.Algorithm),
) (list []choice[A]) {
	for _, s := range b.Steps {
		is, at := find(s.Ranking)
		if at < 0 {
			missing(s.Ranking[0], "")
			continue
		}
		if at > 0 {
			missing(s.Ranking[0], s.Ranking[at])
		}
		from := s.From
		if len(list) == 0 {
			from = 0
		}
		if len(list) == 0 || list[len(list)-1].is != is {
			list = append(list, choice[A]{from, is, s.Ranking[at]})
		}
	}
	return list
}

// firstOf returns a function that finds the first algorithm of a ranking for which find finds one.
func firstOf[A comparable](find func(collective.Algorithm) (A, bool)) func([]collective.Algorithm) (A, int) {
	return func(ranking []collective.Algorithm) (A, int) {
		for i, a := range ranking {
			if is, ok := find(a); ok {
				return is, i
			}
		}
		var none A
		return none, -1
	}
}
