package why

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"fabricast/internal/causes"
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
	if p.LateStart != nil {
		line("%s", p.LateStart.Words)
	}
	line("")
	line("The critical path, from the end of rank %d back to the beginning, %d segments:", p.Last,
		len(p.Segments))
	for _, s := range p.Causes {
		line("  %-17s %10s  %8s  %7d segments", s.Cause, humanize.Time(s.Time),
			percent(s.Time, p.Predicted), s.Segments)
	}
	line("  %-17s %10s  = the predicted time", "sum", humanize.Time(p.Sum))
	if len(p.Parts) > 0 {
		line("")
		line("Its messages spend in the network:")
		for _, s := range p.Parts {
			waits := ""
			if s.Waits {
				waits = "waiting for others"
			}
			line("%s", strings.TrimRight(fmt.Sprintf("  %-17s %10s  %8s  %s",
				s.Part, humanize.Time(s.Time), percent(s.Time, p.Predicted), waits), " "))
		}
	}
	if len(p.Roots) > 0 {
		line("")
		line("The roots of their waits for others:")
	}
	for i := range p.Roots {
		r := &p.Roots[i]
		line("  %-32s %10s  %8s  %s", r.Name, humanize.Time(r.Time), percent(r.Time, p.Predicted), r.words())
	}
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
		line("  %-17s %10s  %8s  %7d waits", s.State, humanize.Time(s.Time),
			percent(s.Time, p.Waits.Total), s.Waits)
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
		line("What the path counts, and the predicted time if the parameter is 1 %% greater, or less:")
	}
	for _, d := range p.Derivatives[:min(len(p.Derivatives), mostLines)] {
		count, about := fmt.Sprintf("%d %s", d.Count, d.Unit), ""
		if d.Unit == "bytes" || d.Unit == "ps" {
			count = humanize.Time(d.Time)
		}
		switch {
		case !d.Exact:
			about = "  estimated"
		case d.Range != nil:
			about = "  holds from " + d.Range.words()
		}
		line("  %-34s %14s  %11s  %11s%s", d.Parameter, count, signed(d.More), signed(d.Less), about)
	}
	if p.Unranged != "" && len(p.Derivatives) > 0 {
		line("How far that holds cannot be told: %s.", p.Unranged)
	}
	if len(p.WhatIf) > 0 {
		line("")
		line("What if:")
		changes(line, p, p.WhatIf)
	}
	if len(p.WhatHelps) > 0 {
		line("")
		line("What would help, by a run of each:")
		changes(line, p, p.WhatHelps)
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

// changes writes a table of changed runs.
func changes(line func(string, ...any), p *Path, list []Change) {
	line("  %-44s %14s %12s %12s", "", "by the path", "by a run", "gain")
	for _, c := range list {
		first := "-"
		if c.FirstOrder != nil {
			first = humanize.Time(*c.FirstOrder)
		}
		line("  %-44s %14s %12s %12s  %8s", c.Change, first, humanize.Time(c.Run), signed(c.Gain),
			percent(c.Gain, p.Predicted))
	}
}

// words names both ends of the range.
func (r *Range) words() string {
	if r.Unit == "ps" {
		return humanize.Time(r.From) + " to " + humanize.Time(r.To)
	}
	return humanize.Rate(float64(r.From)) + " to " + humanize.Rate(float64(r.To))
}

// signed returns a difference of times as text.
func signed(ps int64) string {
	if ps < 0 {
		return "-" + humanize.Time(-ps)
	}
	return "+" + humanize.Time(ps)
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

// words lists the longest parts.
func (p *Parts) words() string {
	order := make([]causes.Part, 0, causes.Count)
	for part := range causes.Count {
		if p[part] > 0 {
			order = append(order, part)
		}
	}
	slices.SortStableFunc(order, func(a, b causes.Part) int { return cmp.Compare(p[b], p[a]) })
	var words []string
	for _, part := range order[:min(len(order), mostParts)] {
		words = append(words, fmt.Sprintf("%s %s", part, humanize.Time(p[part])))
	}
	if len(order) > mostParts {
		words = append(words, "...")
	}
	return strings.Join(words, ", ")
}

// mostParts is the number of parts of a segment in the text.
const mostParts = 3

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
		text += fmt.Sprintf(", %s from rank %d to rank %d%s", humanize.Size(m.Bytes), m.Source,
			m.Destination, within(m))
	}
	if s.Parts != nil {
		text += ": " + s.Parts.words()
	}
	return text
}
