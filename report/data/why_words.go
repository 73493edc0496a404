package data

import (
	"cmp"
	"fmt"
	"slices"

	"fabricast/internal/humanize"
	"fabricast/internal/why"
)

// sentences returns what the path says, in words.
func (b *builder) sentences(path *why.Path, ahead []holder) []string {
	list := []string{path.Why}
	for _, text := range []string{
		lateStart(path), b.lateOthers(path), contention(path, ahead), inCollectives(path), helps(path),
	} {
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}

// lateStart tells of the rank with which the path begins, if it starts late, and who waits for it first.
func lateStart(path *why.Path) string {
	if len(path.Segments) == 0 || path.Segments[0].Cause != why.Start {
		return ""
	}
	s := &path.Segments[0]
	text := fmt.Sprintf("Rank %d starts %s late, and the path begins with that: %s of the predicted time",
		s.Rank, humanize.Time(s.Time), shareOf(s.Time, path.Predicted))
	for i := range path.Segments {
		next := &path.Segments[i]
		if m := next.Message; m != nil && m.Source == s.Rank && next.Rank != s.Rank {
			text += fmt.Sprintf("; the first to wait for it is rank %d%s", next.Rank, within(m))
			break
		}
	}
	return text + "."
}

func within(m *why.Message) string {
	if m.Collective == "" {
		return ""
	}
	return ", in its " + m.Collective
}

func shareOf(part, of int64) string { return humanize.Percent(float64(part) / float64(max(1, of))) }

// lateOthers tells which ranks that start late make others wait, and for how long.
func (b *builder) lateOthers(path *why.Path) string {
	var ranks []int32
	var direct, passed int64
	for _, d := range path.Waits.Delays {
		if d.Doing == why.DoingStart && d.Rank >= 0 {
			ranks = append(ranks, d.Rank)
			direct += d.Direct
			passed += d.Propagated
		}
	}
	if len(ranks) == 0 {
		return ""
	}
	slices.Sort(ranks)
	verb := "starts"
	if len(ranks) > 1 {
		verb = "start"
	}
	text := fmt.Sprintf("%s %s%s late; that costs all ranks together %s of waiting for them directly",
		rankNames(ranks), verb, b.latest(ranks), humanize.Time(direct))
	if passed > 0 {
		text += fmt.Sprintf(", and %s more because waits are passed on", humanize.Time(passed))
	}
	return text + "."
}

// latest tells by how much the latest of some ranks starts late.
func (b *builder) latest(ranks []int32) string {
	if b.ranks == nil || !b.ranks.has("end_ps", "compute_ps", "overhead_ps", "wait_ps") {
		return ""
	}
	late := int64(0)
	for _, r := range ranks {
		if row := int(r); row < b.ranks.rows {
			late = max(late, b.ranks.int("end_ps", row, 0)-b.ranks.int("compute_ps", row, 0)-
				b.ranks.int("overhead_ps", row, 0)-b.ranks.int("wait_ps", row, 0))
		}
	}
	text := " " + humanize.Time(late)
	if len(ranks) > 1 {
		text = " up to" + text
	}
	return text
}

// rankNames names ranks, in ascending order, by ranges.
func rankNames(ranks []int32) string {
	if len(ranks) == 1 {
		return fmt.Sprintf("Rank %d", ranks[0])
	}
	text := "Ranks "
	parts := 0
	for i := 0; i < len(ranks); {
		end := i
		for end+1 < len(ranks) && ranks[end+1] == ranks[end]+1 {
			end++
		}
		if parts == mostRanges {
			return text + fmt.Sprintf(" and %d more", len(ranks)-i)
		}
		if parts++; parts > 1 {
			text += ", "
		}
		text += fmt.Sprint(ranks[i])
		if end > i {
			text += fmt.Sprintf(" to %d", ranks[end])
		}
		i = end + 1
	}
	return text
}

// mostRanges is the largest number of ranges of ranks that a sentence names.
const mostRanges = 6

// contention tells how much of the path are waits of messages for others, and what is at the root of them.
func contention(path *why.Path, ahead []holder) string {
	var waits, moves int64
	var parts []why.PartShare
	for _, p := range path.Parts {
		if !p.Waits {
			moves += p.Time
			continue
		}
		waits += p.Time
		parts = append(parts, p)
	}
	if waits == 0 {
		if moves == 0 {
			return ""
		}
		return "The messages on the path wait for nothing that others use."
	}
	text := fmt.Sprintf("Of the %s that its messages spend in the network, %s (%s) are waits for others, most of them %s (%s)",
		humanize.Time(waits+moves), humanize.Time(waits), shareOf(waits, waits+moves), parts[0].Part, humanize.Time(parts[0].Time))
	return text + rootOf(ahead) + "."
}

// rootOf tells what is at the root of waits.
func rootOf(ahead []holder) (text string) {
	var own int64
	roots, who := map[int64]int64{}, map[int64]map[int64]int64{}
	for i := range ahead {
		h := &ahead[i]
		switch {
		case h.itself != 0:
			own += h.time
		case h.root >= 0:
			roots[h.root] += h.time
			if who[h.root] == nil {
				who[h.root] = map[int64]int64{}
			}
			who[h.root][h.rank] += h.time
		}
	}
	if own > 0 {
		text += fmt.Sprintf("; %s are behind earlier packets of the message itself", humanize.Time(own))
	}
	if len(roots) == 0 {
		return text
	}
	root := largest(roots)
	text += fmt.Sprintf(". Of waits for other messages, most, %s, have their root at {link %d}", humanize.Time(roots[root]), root)
	if rank := largest(who[root]); rank >= 0 {
		text += fmt.Sprintf(", which messages of rank %d pass meanwhile", rank)
	}
	return text
}

// largest returns the key with the largest value; of equal ones the lowest.
func largest(of map[int64]int64) int64 {
	keys := make([]int64, 0, len(of))
	for k := range of {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y int64) int { return cmp.Or(cmp.Compare(of[y], of[x]), cmp.Compare(x, y)) })
	return keys[0]
}

// inCollectives tells how much of the path is spent on messages of each kind of collective.
func inCollectives(path *why.Path) string {
	times := map[string]int64{}
	for i := range path.Segments {
		if m := path.Segments[i].Message; m != nil && m.Collective != "" {
			times[m.Collective] += path.Segments[i].Time
		}
	}
	if len(times) < 2 {
		return ""
	}
	names := make([]string, 0, len(times))
	for name := range times {
		names = append(names, name)
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Or(cmp.Compare(times[y], times[x]), cmp.Compare(x, y)) })
	text := "Of the path,"
	for i, name := range names {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %s (%s) are messages of %s", humanize.Time(times[name]), shareOf(times[name], path.Predicted), name)
	}
	return text + "."
}

// helps names the parameter on which the predicted time depends most.
func helps(path *why.Path) string {
	if len(path.Derivatives) == 0 {
		return ""
	}
	d := &path.Derivatives[0]
	gain, change := -d.Less, "less"
	if -d.More > gain {
		gain, change = -d.More, "more"
	}
	if gain <= 0 {
		return ""
	}
	about := ""
	if !d.Exact {
		about = ", as far as that can be estimated"
	}
	return fmt.Sprintf("The predicted time depends most on %s: 1 %% %s of it saves %s (%s)%s.",
		d.Parameter, change, humanize.Time(gain), shareOf(gain, path.Predicted), about)
}
