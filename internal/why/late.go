package why

import (
	"cmp"
	"fmt"
	"slices"

	"fabricast/internal/humanize"
	"fabricast/record"
)

// LateStart tells what it costs that ranks start late.
type LateStart struct {
	Ranks []int32 `json:"ranks"`     // that start late and make others wait, or begin the path
	Most  int64   `json:"latest_ps"` // start of the latest of them
	// Waits is the time for which all ranks together wait because of it, also as waits are passed
	// on; In divides it by the collective of the messages that are waited for, by descending time.
	Waits int64     `json:"wait_ps"`
	In    []LateIn  `json:"waits_in,omitempty"`
	Path  *LatePath `json:"path,omitempty"` // nil: the critical path does not begin with a late start
	// Words says so.
	Words string `json:"words"`
}

// LateIn is the time for which late starts make ranks wait for messages of one kind.
type LateIn struct {
	Collective string `json:"collective"` // "": messages of the program itself
	Time       int64  `json:"ps"`
}

// LatePath is the late start with which the critical path begins.
type LatePath struct {
	Rank  int32 `json:"rank"`
	Start int64 `json:"start_ps"`
	// Waiter is the first other rank on the path, and Wait the time for which it has waited there;
	// -1 if the path stays on the rank, or follows something else than a message.
	Waiter     int32  `json:"waiter"`
	Wait       int64  `json:"wait_ps"`
	Collective string `json:"collective,omitempty"`
	// Cost is the most by which the run ends earlier if no rank starts late, if the rest of the
	// path takes no longer then.
	Cost int64 `json:"most_cost_ps"`
}

// lateStarts collects what late starts cost, while waits are divided.
type lateStarts struct {
	begins []int64 // by rank: ps; -1 if it has done nothing yet
	first  []int64 // by rank: beginning of its first wait (ps); -1 if there is none
	waits  map[string]int64
}

func newLateStarts(ranks int) *lateStarts {
	l := &lateStarts{
		begins: make([]int64, ranks), first: make([]int64, ranks), waits: map[string]int64{},
	}
	for rank := range l.begins {
		l.begins[rank], l.first[rank] = -1, -1
	}
	return l
}

// take adds a step. origins say what has caused it if it is a wait.
func (l *lateStarts) take(s *record.Step, origins []origin) {
	if l.begins[s.Rank] < 0 {
		l.begins[s.Rank] = s.Begin
	}
	if len(origins) > 0 && l.first[s.Rank] < 0 {
		l.first[s.Rank] = s.Begin
	}
	for _, o := range origins {
		if o.doing == DoingStart {
			l.waits[s.Collective] += o.time
		}
	}
}

// of returns what late starts cost on a path; nil if no rank makes others wait by its late start.
func (l *lateStarts) of(p *Path) *LateStart {
	s := &LateStart{Ranks: []int32{}, Path: l.path(p)}
	for _, d := range p.Waits.Delays {
		if d.Doing == DoingStart && d.Rank >= 0 {
			s.Ranks = append(s.Ranks, d.Rank)
		}
	}
	if s.Path != nil && !slices.Contains(s.Ranks, s.Path.Rank) {
		s.Ranks = append(s.Ranks, s.Path.Rank)
	}
	if len(s.Ranks) == 0 {
		return nil
	}
	slices.Sort(s.Ranks)
	if s.Path != nil {
		s.Most = s.Path.Start // its rank may do nothing that takes time, and so have no steps
	}
	for _, rank := range s.Ranks {
		s.Most = max(s.Most, l.begins[rank])
	}
	for name, time := range l.waits {
		s.Waits += time
		s.In = append(s.In, LateIn{name, time})
	}
	slices.SortFunc(s.In, func(a, b LateIn) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Collective, b.Collective))
	})
	s.Words = s.words()
	return s
}

// path returns the late start with which a path begins.
func (l *lateStarts) path(p *Path) *LatePath {
	if len(p.Segments) == 0 || p.Segments[0].Cause != Start {
		return nil
	}
	start := &p.Segments[0]
	late := &LatePath{Rank: start.Rank, Start: start.Time, Waiter: -1, Cost: start.Time}
	for i := range p.Segments {
		s := &p.Segments[i]
		if s.Rank == start.Rank {
			continue
		}
		if s.Message == nil || s.Message.Source != start.Rank || s.waited == 0 ||
			s.Cause != Network && s.Cause != Local {
			break
		}
		late.Waiter, late.Wait, late.Collective = s.Rank, s.waited, s.Message.Collective
		if l.first[s.Rank] == s.End-s.waited { // it depends on no other rank before
			late.Cost = min(late.Cost, late.Wait+max(0, l.begins[s.Rank]))
		}
		break
	}
	return late
}

// words says what late starts cost.
func (s *LateStart) words() string {
	verb, by := "starts", humanize.Time(s.Most)
	if len(s.Ranks) > 1 {
		verb, by = "start", "up to "+by
	}
	text := fmt.Sprintf("%s %s %s late", RankNames(s.Ranks), verb, by)
	if s.Waits > 0 {
		text += "; because of that all ranks together wait at least " + humanize.Time(s.Waits)
		switch in := &s.In[0]; {
		case in.Collective == "":
		case in.Time == s.Waits:
			text += fmt.Sprintf(", all of it in %s", in.Collective)
		default:
			text += fmt.Sprintf(", %s of it in %s", humanize.Time(in.Time), in.Collective)
		}
	}
	l := s.Path
	if l == nil {
		return text + ". None of it is on the critical path."
	}
	text += fmt.Sprintf(". The critical path begins with rank %d, %s late", l.Rank,
		humanize.Time(l.Start))
	if l.Waiter >= 0 {
		text += fmt.Sprintf(", for which rank %d waits %s", l.Waiter, humanize.Time(l.Wait))
		if l.Collective != "" {
			text += ", in its " + l.Collective
		}
	}
	return text + fmt.Sprintf("; so that costs at most %s at the end, if the rest of the path takes "+
		"no longer without it.", humanize.Time(l.Cost))
}

// RankNames names ranks, in ascending order, by ranges.
func RankNames(ranks []int32) string {
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
