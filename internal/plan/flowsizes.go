package plan

import (
	"math"
	"strconv"
	"strings"

	"fabricast/experiment"
	"fabricast/internal/config"
	"fabricast/internal/failure"
	"fabricast/internal/fields"
	"fabricast/internal/humanize"
	"fabricast/internal/input"
	"fabricast/internal/units"
	"fabricast/traffic"
)

// flowSizes returns the sizes of messages of traffic.flow_sizes: those of a name, or of a file.
func flowSizes(e *experiment.Resolved) ([]traffic.SizeClass, error) {
	f := e.Traffic.FlowSizes
	if f.File == "" {
		return traffic.FlowSizesOf(f.Name), nil
	}
	text, err := input.Text(f.File, input.FlowSizes)
	if err != nil {
		return nil, e.Unread("traffic.flow_sizes.file", err)
	}
	r := sizesReader{source: &config.Source{Name: f.File, Text: text}}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line, _, _ = strings.Cut(strings.TrimRight(line, "\r\n"), "#")
		if words := fields.Append(nil, line); len(words) > 0 {
			if err := r.line(words, number); err != nil {
				return nil, err
			}
		}
	}
	classes, wrong := traffic.SizesBetween(r.points)
	if wrong != nil {
		at := config.Position{Line: 1, Column: 1, Width: 1}
		if wrong.Entry > 0 {
			at = r.places[wrong.Entry-1]
		}
		return nil, r.wrong(at, wrong.Found, wrong.Expected)
	}
	return classes, nil
}

// sizesReader reads a file with a size in bytes and a percentage on each line.
type sizesReader struct {
	source *config.Source
	points []traffic.SizePoint
	places []config.Position // of the points
}

// line reads a line.
func (r *sizesReader) line(words []fields.Word, number int) error {
	at := func(i int) config.Position {
		return config.Position{Line: number, Column: words[i].Column, Width: words[i].Width()}
	}
	if len(words) != 2 {
		return r.wrong(at(0), humanize.Plural(len(words), "word"), "a size in bytes and a percentage, such as 10000 15")
	}
	size, err := strconv.ParseFloat(words[0].Text, 64) // generators of traffic write 1e6, too
	if err != nil || !(size >= 0 && size <= 1<<40) {
		return r.wrong(at(0), words[0].Text, "a size from 0 to 1099511627776 bytes")
	}
	percent, err := strconv.ParseFloat(words[1].Text, 64) // with all digits, such as 33.333333333333336
	if err != nil || !(percent >= 0 && percent <= 100) {
		return r.wrong(at(1), words[1].Text, "a percentage from 0 to 100")
	}
	share := int64(math.Round(percent * float64(units.Percent)))
	r.points = append(r.points, traffic.SizePoint{Bytes: int64(size), Share: share})
	r.places = append(r.places, at(0))
	return nil
}

// wrong returns the error of a place in the file.
func (r *sizesReader) wrong(at config.Position, found, expected string) error {
	at.Source = r.source
	return failure.NewConfigError(config.Problems{{
		Position: at, Field: "flow_sizes", Found: found, Expected: expected,
	}})
}
