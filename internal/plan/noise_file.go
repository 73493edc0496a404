package plan

import (
	"fmt"
	"strconv"
	"strings"

	"fabricast/experiment"
	"fabricast/internal/config"
	"fabricast/internal/failure"
	"fabricast/internal/input"
	"fabricast/internal/units"
	"fabricast/node"
)

// maxRecorded is the longest recording of losses.
const maxRecorded = 24 * 3600 * units.Second

// readLosses reads the file of the losses of processors that ranks repeat. It returns nil if the
// experiment names no file.
func readLosses(e *experiment.Resolved) (*node.Losses, error) {
	if e.Noise.File == "" {
		return nil, nil
	}
	text, err := input.Text(e.Noise.File, input.Noise)
	if err != nil {
		return nil, e.Unread("noise.file", err)
	}
	losses, problems := lossLines(&config.Source{Name: e.Noise.File, Text: text})
	return losses, failure.NewConfigError(problems)
}

// lossLines parses losses, one a line: when it begins and its duration. Numbers without a unit are
// nanoseconds, as Netgauge writes them. # begins a comment. A second recording in the same file, as
// Netgauge makes of several ranks, is left out.
func lossLines(source *config.Source) (*node.Losses, config.Problems) {
	losses := new(node.Losses)
	var problems config.First
	for at, record := range records(source) {
		words := strings.Fields(record)
		begin, ok := lossTime(words[0])
		duration, valid := units.Time(0), false
		if len(words) == 2 {
			duration, valid = lossTime(words[1])
		}
		if ok && valid && begin == 0 && losses.Len() > 0 {
			break
		}
		if !ok || !valid || !losses.Add(begin, duration) {
			problems.Add(config.Problem{
				Position: at, Field: "loss", Found: record,
				Expected: "the time at which a loss begins, in ascending order, and its duration, such as 15ms 23us",
			})
			break
		}
	}
	if problems.Count() == 0 && losses.Len() == 0 {
		problems.Add(config.Problem{
			Position: config.Position{Source: source, Line: 1, Column: 1, Width: 1},
			Field:    "loss", Found: "none", Expected: "losses: lines with a begin and a duration",
		})
	}
	if problems.Count() == 0 && losses.Lost() > losses.Span()/2 {
		problems.Add(config.Problem{
			Position: config.Position{Source: source, Line: 1, Column: 1, Width: 1},
			Field:    "loss", Found: fmt.Sprintf("%v of %v", losses.Lost(), losses.Span()),
			Expected: "at most half of the time",
		})
	}
	return losses, problems.Problems()
}

// lossTime parses a time with a unit, or a number of nanoseconds.
func lossTime(word string) (units.Time, bool) {
	if ns, err := strconv.ParseFloat(word, 64); err == nil {
		ps := float64(ns * float64(units.Nanosecond)) // the conversion forbids a fused multiply-add
		return units.Time(ps + 0.5), ns >= 0 && ns < float64(maxRecorded/units.Nanosecond)
	}
	t, err := units.ParseTime(word)
	return t, err == nil && t < maxRecorded
}
