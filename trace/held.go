package trace

import "fmt"

// HoldError reports that a format cannot represent a trace.
type HoldError struct {
	Format string
	Rank   int
	What   string // the feature that the format cannot represent
}

func (e *HoldError) Error() string {
	return fmt.Sprintf("rank %d: the format %s cannot hold %s", e.Rank, e.Format, e.What)
}
