package fabricast

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/units"
)

// readBegins reads when ranks begin, a time a line in the order of ranks; # begins a comment.
func (e *Experiment) readBegins() ([]int64, error) {
	if e.Imbalance.File == "" {
		return nil, nil
	}
	text, err := os.ReadFile(e.Imbalance.File)
	if err != nil {
		var path *os.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return nil, e.refuse("imbalance.file", e.Imbalance.File+" ("+err.Error()+")", "a readable file", "")
	}
	source := &config.Source{Name: e.Imbalance.File, Text: string(text)}
	list, problems := beginLines(source, e.Ranks)
	return list, configError(problems)
}

// beginLines reads the times of so many ranks.
func beginLines(source *config.Source, ranks int) (list []int64, _ config.Problems) {
	var problems config.First
	at, end := config.Position{Source: source}, config.Position{Source: source, Line: 1, Column: 1, Width: 1} // end: of the last time, or of the first too many
	for line := range strings.Lines(source.Text) {
		at.Line++
		written, _, _ := strings.Cut(line, "#")
		word := strings.TrimSpace(written)
		if word == "" {
			continue
		}
		begin, err := units.ParseTime(word)
		if err == nil && begin > maxWidth {
			err = errors.New("too late")
		}
		at.Column, at.Width = 1+strings.Index(written, word), len(word)
		if len(list) <= ranks {
			end = at
		}
		if err != nil {
			problems.Add(config.Problem{Position: at, Field: "time", Found: word, Expected: "a time such as 5us, up to " + maxWidth.String()})
		}
		list = append(list, int64(begin))
	}
	if problems.Count() == 0 && len(list) != ranks {
		found := fmt.Sprintf("%d times", len(list))
		if len(list) > ranks {
			found = fmt.Sprintf("a time for one rank more, %s in all", found)
		}
		problems.Add(config.Problem{Position: end, Field: "time", Found: found, Expected: fmt.Sprintf("one for each of the %d ranks", ranks)})
	}
	return list, problems.Problems()
}
