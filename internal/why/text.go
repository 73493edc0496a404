package why

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"fabricast/internal/humanize"
)

// mostSegments is the number of the longest segments in the text.
const mostSegments = 12

// Text writes the path as text.
func Text(w io.Writer, p *Path) error {
	var errs []error
	line := func(format string, args ...any) {
		_, err := fmt.Fprintf(w, format+"\n", args...)
		errs = append(errs, err)
	}
	line("%s", p.Why)
	line("")
	line("The critical path, from the end of rank %d back to the beginning, %d segments:", p.Last, len(p.Segments))
	for _, s := range p.Causes {
		line("  %-17s %10s  %8s  %7d segments", s.Cause, humanize.Time(s.Time), percent(s.Time, p.Predicted), s.Segments)
	}
	line("  %-17s %10s  = the predicted time", "sum", humanize.Time(p.Sum))
	if len(p.Ranks) > 0 {
		line("")
		line("Ranks with the most work on it:")
		for _, s := range p.Ranks {
			line("  rank %-12d %10s  %8s", s.Rank, humanize.Time(s.Time), percent(s.Time, p.Predicted))
		}
	}
	line("")
	line("Its longest segments, in order of time:")
	for _, s := range p.longest() {
		line("  %10s .. %10s  %s", humanize.Time(s.Begin), humanize.Time(s.End), s.words())
	}
	if p.Ties > 0 {
		line("")
		line("Ties: %d waits on the path had two ends at the same time; it follows what the model handles first.", p.Ties)
	}
	for _, n := range p.Notes {
		line("note: %s", n)
	}
	return errors.Join(errs...)
}

// longest returns the longest segments, in order of time.
func (p *Path) longest() []Segment {
	list := slices.Clone(p.Segments)
	slices.SortStableFunc(list, func(a, b Segment) int { return int(min(1, max(-1, b.Time-a.Time))) })
	list = list[:min(len(list), mostSegments)]
	slices.SortFunc(list, func(a, b Segment) int { return int(min(1, max(-1, a.Begin-b.Begin))) })
	return list
}

// words describes a segment.
func (s *Segment) words() string {
	text := fmt.Sprintf("rank %d: %s", s.Rank, s.Cause)
	if m := s.Message; m != nil {
		text += fmt.Sprintf(", %s from rank %d to rank %d%s", humanize.Size(m.Bytes), m.Source, m.Destination, within(m))
	}
	return text
}
