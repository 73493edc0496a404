package plan

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"fabricast/internal/config"
	"fabricast/internal/experiment"
	"fabricast/internal/failure"
	"fabricast/internal/input"
	"fabricast/traffic"
)

// TrafficLoad makes the synthetic traffic that the experiment describes.
func (p *Plan) TrafficLoad() (traffic.Load, error) {
	e := p.Experiment
	t := &e.Traffic
	l := traffic.Load{Window: t.Window, Reply: int64(t.Reply), Seed: e.Seed}
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
	l.Sizes = []traffic.SizeClass{{From: int64(t.Size), To: int64(t.Size), Share: 1}}
	for i, s := range t.Sizes {
		c := traffic.SizeClass{From: int64(s.Size + s.From), To: int64(s.Size + s.To), Share: int64(s.Share)}
		l.Sizes = append(l.Sizes[:i], c)
	}
	spec, err := patternSpec(e)
	if err != nil {
		return l, err
	}
	l.Pattern, err = traffic.New(spec, p.Topology)
	if wrong, ok := err.(*traffic.Problem); ok {
		return l, e.Refuse("traffic.pattern."+wrong.Field, wrong.Found, wrong.Expected, wrong.Hint)
	}
	return l, err
}

func patternSpec(e *experiment.Resolved) (traffic.Spec, error) {
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
	var err error
	if p.File != "" {
		s.Table, err = readPermutation(e, p.File)
	}
	return s, err
}

// readPermutation reads a file with the destination of each host, one a line. # begins a comment.
func readPermutation(e *experiment.Resolved, path string) ([]int32, error) {
	text, err := input.Text(path, input.Permutation)
	if err != nil {
		return nil, e.Unread("traffic.pattern.file", err)
	}
	source := &config.Source{Name: path, Text: text}
	var list []int32
	number := 0
	for line := range strings.Lines(source.Text) {
		number++
		field, _, _ := strings.Cut(line, "#")
		if field = strings.TrimSpace(field); field == "" {
			continue
		}
		n, err := strconv.ParseInt(field, 10, 32)
		if err != nil {
			before, _, _ := strings.Cut(line, field)
			at := config.Position{
				Source: source,
				Line:   number,
				Column: 1 + utf8.RuneCountInString(before),
				Width:  utf8.RuneCountInString(field),
			}
			return nil, failure.NewConfigError(
				config.Problems{
					{Position: at, Field: "destination", Found: field, Expected: "the number of a host"},
				},
			)
		}
		list = append(list, int32(n))
	}
	return list, nil
}
