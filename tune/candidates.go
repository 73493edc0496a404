package tune

import (
	"slices"
	"strings"

	"fabricast/collective"
	"fabricast/collective/tables"
)

// candidates lists the algorithms for a size on a number of ranks that can run where the ranks are,
// with the options that are tried, in the order of the collective's algorithms.
func (s *Spec) candidates(ranks int, bytes int64, at *collective.Layout) (list []collective.Algorithm) {
	for _, info := range collective.Algorithms(s.Kind) {
		if !s.tries(&info, ranks, at) {
			continue
		}
		names := []collective.Algorithm{info.Name}
		for _, o := range info.Options {
			var longer []collective.Algorithm
			for _, name := range names {
				for _, n := range s.values(&info, &o, ranks, bytes, at) {
					given := name
					if n != o.Default {
						given += collective.Algorithm(collective.OptionMark + o.Name + "=" + o.Text(n))
					}
					longer = append(longer, given)
				}
			}
			names = longer
		}
		for _, name := range names {
			list = append(list, name.Canonical(s.Kind))
		}
	}
	for _, t := range s.Compare {
		list = append(list, s.chosen(t, ranks, bytes, at))
	}
	return distinct(list)
}

// tries reports whether an algorithm is a candidate. If each rank is a team of its own, algorithms on two
// levels repeat others, and are tried only if they are named. So are those of NCCL, which are for GPUs.
func (s *Spec) tries(info *collective.Info, ranks int, at *collective.Layout) bool {
	if s.Algorithms != nil && !slices.Contains(s.Algorithms, info.Name) || !info.Accepts(ranks) || !info.Suits(at) {
		return false
	}
	if s.Algorithms == nil && strings.HasPrefix(string(info.Name), string(collective.NCCL)) {
		return false
	}
	inTeams := info.Name == collective.Hierarchical || info.Name == collective.Groups
	return s.Algorithms != nil || !inTeams || len(at.TeamsOf(info.Name).Members) < ranks
}

// chosen returns the algorithm that a table chooses.
func (s *Spec) chosen(t Table, ranks int, bytes int64, at *collective.Layout) collective.Algorithm {
	call := tables.Call{Ranks: ranks, Bytes: bytes, Layout: func() *collective.Layout { return at }}
	return t.Table.Choose(s.Kind, call).Canonical(s.Kind)
}

func distinct(list []collective.Algorithm) (kept []collective.Algorithm) {
	for _, a := range list {
		if !slices.Contains(kept, a) {
			kept = append(kept, a)
		}
	}
	return kept
}

// values lists the values of an option that are tried. Segments that do not divide what is sent would
// do the same as none.
func (s *Spec) values(
	info *collective.Info, o *collective.Option, ranks int, bytes int64, at *collective.Layout,
) (list []int) {
	switch o.Name {
	case collective.OptionSegment:
		list = []int{0}
		if s.Kind == collective.KindAllreduce { // its segments divide the ranks' chunks; without them it is the ring
			bytes /= int64(ranks)
			if s.Algorithms == nil {
				list = nil
			}
		}
		for _, n := range append([]int{o.Default}, s.Segments...) {
			if int64(n) < bytes {
				list = append(list, n)
			}
		}
		if s.Kind == collective.KindGather {
			// a root that waits for whole blocks sends no second message
			list = append(list, o.Default)
		}
	case "fanout":
		list = s.upTo(o, s.Fanouts, ranks)
	case "radix":
		list = s.upTo(o, s.Radixes, ranks)
	case "ports":
		list = []int{o.Default, 1}
	case "leaders":
		list = leaders(o, at.TeamsOf(info.Name).Least)
	case "window":
		list = s.upTo(o, s.Windows, ranks)
	default:
		list = []int{o.Default}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// leaders lists the numbers of leaders that are tried in teams of which the smallest has least ranks: all
// of them, and fewer.
func leaders(o *collective.Option, least int) []int {
	if least == 1 {
		return []int{o.Default}
	}
	list := []int{0}
	for _, n := range []int{1, 2, 4} {
		if n < least {
			list = append(list, n)
		}
	}
	return list
}

// upTo returns the default of an option and other values, up to the number of ranks.
func (s *Spec) upTo(o *collective.Option, others []int, ranks int) []int {
	list := []int{o.Default}
	for _, n := range others {
		if n <= ranks {
			list = append(list, n)
		}
	}
	return list
}
