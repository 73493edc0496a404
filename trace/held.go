package trace

import "fmt"

// HoldError says that a trace cannot be written in a format.
type HoldError struct {
	Format string
	Rank   int
	What   string // that it cannot hold
}

func (e *HoldError) Error() string {
	return fmt.Sprintf("rank %d: the format %s cannot hold %s", e.Rank, e.Format, e.What)
}
