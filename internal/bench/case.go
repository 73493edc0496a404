package bench

import (
	"fmt"
	"slices"

	"fabricast"
	"fabricast/internal/config"
	"fabricast/trace"
)

// Case is a row of the benchmark table: an experiment in two sizes.
type Case struct {
	Name    string
	Title   string
	Workers int
	Full    Size
	Short   Size
	// Published is the published cost of the full size in another simulator; "" if unknown.
	Published string
	// SpeedUpOf names the case of the same experiment with one worker, to which the wall-clock time
	// is compared.
	SpeedUpOf string
	// Trace, if not nil, writes a trace of the experiment into a folder and opens it. The case then
	// only reads the trace; nothing is simulated.
	Trace func(folder string, a allToAll) (trace.Source, error)
}

// Size is one of the two sizes of a case.
type Size struct {
	Experiment fabricast.Experiment
	Cut        string // how it differs from the full size; "" if it does not
	Repeat     int    // default number of repetitions
	Bound      Bound
}

// Bound holds the project's own limits for a case; zero means no limit.
type Bound struct {
	CPU       float64 // s
	NSPerHop  float64 // ns of CPU time per packet-hop
	Memory    float64 // peak memory in bytes
	WallRatio float64 // wall-clock time relative to the case that SpeedUpOf names
}

// at returns the full or the short size.
func (c *Case) at(full bool) *Size {
	if full {
		return &c.Full
	}
	return &c.Short
}

// Select returns the named cases in the order of the table, or all if no names are given. For an
// unknown name it returns an *UnknownError.
func Select(names []string) ([]*Case, error) {
	all := Cases()
	for _, name := range names {
		if !slices.ContainsFunc(all, func(c *Case) bool { return c.Name == name }) {
			return nil, &UnknownError{name}
		}
	}
	if len(names) == 0 {
		return all, nil
	}
	return slices.DeleteFunc(all, func(c *Case) bool { return !slices.Contains(names, c.Name) }), nil
}

// Names lists the names of all cases.
func Names() []string {
	var names []string
	for _, c := range Cases() {
		names = append(names, c.Name)
	}
	return names
}

// UnknownError reports the name of a case that does not exist.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("found case %s, expected %s", e.Name, config.OneOf(Names()))
}
