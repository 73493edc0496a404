package traces

import (
	"context"
	"fmt"

	"fabricast/internal/config"
	"fabricast/internal/printable"
	"fabricast/trace"
	"fabricast/trace/summary"
)

// regionError reports that no rank of a trace enters a region of the program.
type regionError struct {
	name, expected, hint string
}

func (e *regionError) Error() string {
	text := fmt.Sprintf("found region %s, expected %s", printable.Text(e.name), e.expected)
	if e.hint != "" {
		text += " (" + e.hint + ")"
	}
	return text
}

// mostRegions limits the number of regions that a message lists.
const mostRegions = 20

// EntersRegions returns a *regionError unless each of the named regions is entered by at least one
// rank of the trace.
func EntersRegions(ctx context.Context, t trace.Trace, names []string) error {
	lacking, known, err := summary.Lacking(ctx, t, names)
	if err != nil || len(lacking) == 0 {
		return err
	}
	if len(known) == 0 {
		return &regionError{lacking[0], fmt.Sprintf("none: the trace (%s) has no regions", t.Format()), ""}
	}
	shown := make([]string, 0, mostRegions)
	for _, name := range known[:min(len(known), mostRegions)] {
		shown = append(shown, printable.Text(name))
	}
	expected := config.OneOf(shown)
	if more := len(known) - len(shown); more > 0 {
		expected += fmt.Sprintf(", or one of %d more", more)
	}
	return &regionError{lacking[0], expected, config.DidYouMean(lacking[0], known)}
}
