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
	line("")
	line("Waits of all ranks, %s together:", humanize.Time(p.Waits.Total))
	for _, s := range p.Waits.States {
		line("  %-17s %10s  %8s  %7d waits", s.State, humanize.Time(s.Time), percent(s.Time, p.Waits.Total), s.Waits)
	}
	if delays := p.Waits.Delays; len(delays) > 0 {
		line("")
		line("What makes ranks wait for late ones: what it costs others directly, and what is passed on:")
		for _, d := range delays[:min(len(delays), mostLines)] {
			line("  %-28s %10s  %10s", d.words(), humanize.Time(d.Direct), humanize.Time(d.Propagated))
		}
	}
	if len(p.Derivatives) > 0 {
		line("")
		line("While this path stays the critical one, and its messages wait for no others:")
	}
	for _, d := range p.Derivatives {
		if d.Count > 0 {
			line("  %-17s each ps more costs %d ps", d.Parameter, d.Count)
		} else {
			line("  %-17s 1 %% more costs %s", d.Parameter, humanize.Time(d.Time/100))
		}
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

// mostLines is the number of delays in the text.
const mostLines = 8

// words describes a delay.
func (d *Delay) words() string {
	switch {
	case d.Doing == doingNetwork:
		return "messages on their way"
	case d.Rank < 0:
		return d.Doing
	}
	return fmt.Sprintf("rank %d: %s", d.Rank, d.Doing)
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
