package plan

import (
	"errors"
	"fmt"

	"fabricast/experiment"
	"fabricast/internal/config"
	"fabricast/internal/failure"
	"fabricast/internal/input"
	"fabricast/internal/units"
)

// readBegins reads the file of the start times (ps) of the ranks: one time a line, in the order of
// ranks. # begins a comment. It returns nil if the experiment names no file.
func readBegins(e *experiment.Resolved) ([]int64, error) {
	if e.Imbalance.File == "" {
		return nil, nil
	}
	text, err := input.Text(e.Imbalance.File, input.Imbalance)
	if err != nil {
		return nil, e.Unread("imbalance.file", err)
	}
	source := &config.Source{Name: e.Imbalance.File, Text: text}
	list, problems := beginLines(source, e.Ranks)
	return list, failure.NewConfigError(problems)
}

// beginLines parses one start time (ps) for each of the given number of ranks. It reports lines
// that are not times, and too few or too many lines.
func beginLines(source *config.Source, ranks int) (list []int64, _ config.Problems) {
	var problems config.First
	// the position at which an error about missing or surplus lines is reported
	end := config.Position{Source: source, Line: 1, Column: 1, Width: 1}
	for at, word := range records(source) {
		begin, err := units.ParseTime(word)
		if err == nil && begin > experiment.MaxWidth {
			err = errors.New("too late")
		}
		if len(list) <= ranks {
			end = at
		}
		if err != nil {
			problems.Add(
				config.Problem{
					Position: at,
					Field:    "time",
					Found:    word,
					Expected: "a time such as 5us, up to " + experiment.MaxWidth.String(),
				},
			)
		}
		list = append(list, int64(begin))
	}
	if problems.Count() == 0 && len(list) != ranks {
		found := fmt.Sprintf("%d times", len(list))
		if len(list) > ranks {
			found = fmt.Sprintf("a time for one rank more, %s in all", found)
		}
		problems.Add(
			config.Problem{
				Position: end,
				Field:    "time",
				Found:    found,
				Expected: fmt.Sprintf("one for each of the %d ranks", ranks),
			},
		)
	}
	return list, problems.Problems()
}
