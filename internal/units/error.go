package units

import "strings"

// Error describes what is wrong with a written quantity.
type Error struct {
	Found    string // the text as written
	Expected string // what is valid, with an example
	Hint     string // what the writer may have meant; may be empty
}

func (e *Error) Error() string {
	s := "found " + e.Found + ", expected " + e.Expected
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

// didYouMean returns a question that lists the candidates, "" if there are none.
func didYouMean(candidates []string) string {
	if len(candidates) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(candidates, " or ") + "?"
}
