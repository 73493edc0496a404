package data

import (
	"cmp"
	"fmt"
	"slices"

	"fabricast/internal/causes"
	"fabricast/internal/humanize"
	"fabricast/internal/why"
)

// sentences returns what the path says, in words.
func sentences(path *why.Path, ahead []holder) []string {
	list := []string{path.Why}
	if path.LateStart != nil {
		list = append(list, path.LateStart.Words)
	}
	for _, text := range []string{contention(path, ahead), inCollectives(path), helps(path)} {
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}

func shareOf(part, of int64) string { return humanize.Percent(float64(part) / float64(max(1, of))) }

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
	repeats := slices.ContainsFunc(parts, func(p why.PartShare) bool { return p.Part == causes.Repetition.String() })
	return text + rootOf(ahead, repeats) + "."
}

// rootOf tells what is at the root of waits, some of which may be for packets that are sent again.
func rootOf(ahead []holder, repeats bool) (text string) {
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
		if repeats {
			text += ", or until its lost packets are sent again"
		}
	}
	if len(roots) == 0 {
		return text
	}
	root := largest(roots)
	text += fmt.Sprintf(". Of the other waits, most, %s, have their root at {link %d}", humanize.Time(roots[root]), root)
	switch rank := largest(who[root]); {
	case rank == linkDown:
		text += ", which was down because of a fault"
	case rank >= 0:
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
