package fabricast

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/units"
)

// maxBeginProblems bounds how many problems of a file of times are reported.
const maxBeginProblems = 10

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
	var list []int64
	var problems config.Problems
	at := config.Position{Source: source}
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
		if err != nil && len(problems) < maxBeginProblems {
			at.Column, at.Width = 1+strings.Index(written, word), len(word)
			problems = append(problems, config.Problem{Position: at, Field: "time", Found: word, Expected: "a time such as 5us, up to " + maxWidth.String()})
		}
		list = append(list, int64(begin))
	}
	if len(problems) == 0 && len(list) != e.Ranks {
		at.Line, at.Column, at.Width = 1, 1, 1
		problems = config.Problems{{Position: at, Field: "time", Found: fmt.Sprintf("%d times", len(list)), Expected: fmt.Sprintf("one for each of the %d ranks", e.Ranks)}}
	}
	return list, configError(problems)
}
