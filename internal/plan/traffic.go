package plan

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"fabricast/experiment"
	"fabricast/internal/config"
	"fabricast/internal/failure"
	"fabricast/internal/input"
	"fabricast/traffic"
)

// TrafficLoad makes the synthetic traffic that the experiment describes.
func (p *Plan) TrafficLoad() (traffic.Load, error) {
	e := p.Experiment
	t := &e.Traffic
	l := traffic.Load{Window: t.Window, Reply: int64(t.Reply), Seed: e.Seed, Concurrent: e.Network.Ethernet()}
	l.Arrivals = traffic.Arrivals{
		Load:  int64(t.Load),
		Burst: int64(t.Arrivals.Burst),
		Peak:  int64(t.Arrivals.Peak),
	}
	for i, name := range traffic.Processes {
		if name == t.Arrivals.Process {
			l.Arrivals.Process = traffic.Process(i)
		}
	}
	if n := t.Incast.FanIn; n != 0 {
		if hosts := p.Topology.Graph().Hosts; n >= hosts {
			return l, e.Refuse("traffic.incast.fan_in", strconv.Itoa(n), fmt.Sprintf("fewer than the %d hosts", hosts), "")
		}
		l.Incast = traffic.Incast{FanIn: n, Size: int64(t.Incast.Size), Interval: int64(t.Incast.Interval)}
	}
	l.Sizes = []traffic.SizeClass{{From: int64(t.Size), To: int64(t.Size), Share: 1}}
	for i, s := range t.Sizes {
		c := traffic.SizeClass{From: int64(s.Size + s.From), To: int64(s.Size + s.To), Share: int64(s.Share)}
		l.Sizes = append(l.Sizes[:i], c)
	}
	if t.FlowSizes != (experiment.FlowSizes{}) {
		sizes, err := flowSizes(e)
		if err != nil {
			return l, err
		}
		l.Sizes = sizes
	}
	spec, file, err := patternSpec(e)
	if err != nil {
		return l, err
	}
	l.Pattern, err = traffic.New(spec, p.Topology)
	if wrong, ok := err.(*traffic.Problem); ok {
		if file != nil {
			return l, file.entry(wrong)
		}
		return l, e.Refuse("traffic.pattern."+wrong.Field, wrong.Found, wrong.Expected, wrong.Hint)
	}
	return l, err
}

// patternSpec returns the traffic pattern of the experiment, and the file that it names, if any.
func patternSpec(e *experiment.Resolved) (traffic.Spec, *permutation, error) {
	p := e.Traffic.Pattern
	s := traffic.Spec{Name: p.Name, Dims: p.Dims, Share: int64(p.Share), Block: p.Block}
	for _, h := range p.Hosts {
		s.Hosts = append(s.Hosts, int32(max(-1, min(h, experiment.MaxHosts))))
	}
	for _, part := range p.Parts {
		s.Parts = append(
			s.Parts,
			traffic.Part{
				Share: int64(part.Share),
				Block: part.Block,
				Dims:  part.Dims,
				Hops:  part.Hops,
				Class: uint8(part.Class),
			},
		)
	}
	if p.File == "" {
		return s, nil, nil
	}
	file, err := readPermutation(e, p.File)
	if err == nil {
		s.Table = file.table
	}
	return s, file, err
}

// permutation is a file that lists the destination of each host.
type permutation struct {
	source *config.Source
	table  []int32
	lines  []int32 // line number of each entry, from 1
}

// readPermutation reads a file that lists the destination of each host, one a line. # begins a
// comment.
func readPermutation(e *experiment.Resolved, path string) (*permutation, error) {
	const mostLine = 128 // bytes, including a comment
	kind := input.Permutation.UpTo(mostLine*int64(e.Hosts()), fmt.Sprintf("for %d hosts", e.Hosts()))
	text, err := input.Text(path, kind)
	if err != nil {
		return nil, e.Unread("traffic.pattern.file", err)
	}
	p := &permutation{source: &config.Source{Name: path, Text: text}}
	number := 0
	for line := range strings.Lines(text) {
		number++
		field, _, _ := strings.Cut(line, "#")
		if field = strings.TrimSpace(field); field == "" {
			continue
		}
		n, err := strconv.ParseInt(field, 10, 32)
		if err != nil {
			return nil, p.wrong(number, line, "the number of a host", field)
		}
		p.table, p.lines = append(p.table, int32(n)), append(p.lines, int32(number))
	}
	return p, nil
}

// wrong returns the error for an invalid line of the file.
func (p *permutation) wrong(number int, line, expected, found string) error {
	field, _, _ := strings.Cut(line, "#")
	field = strings.TrimSpace(field)
	before, _, _ := strings.Cut(line, field)
	return failure.NewConfigError(config.Problems{{
		Position: config.Position{
			Source: p.source,
			Line:   number,
			Column: 1 + utf8.RuneCountInString(before),
			Width:  utf8.RuneCountInString(field),
		},
		Field: "destination", Found: found, Expected: expected,
	}})
}

// entry returns the error for an invalid entry of the table, or for a table that is invalid as a
// whole.
func (p *permutation) entry(wrong *traffic.Problem) error {
	if wrong.Entry == 0 {
		return p.wrong(1, "", wrong.Expected, wrong.Found)
	}
	number := int(p.lines[wrong.Entry-1])
	n := 0
	for line := range strings.Lines(p.source.Text) {
		if n++; n == number {
			return p.wrong(number, line, wrong.Expected, wrong.Found)
		}
	}
	return p.wrong(number, "", wrong.Expected, wrong.Found)
}
