package bench

import (
	"fmt"
	"slices"

	"fabricast"
	"fabricast/internal/config"
)

// Case is a row of the table.
type Case struct {
	Name    string
	Title   string
	Workers int
	Full    Size
	Short   Size
	// Published is what the full size took elsewhere, empty if nobody has said.
	Published string
	// SpeedUpOf names the case, of the same experiment with one worker, that this one's wall time is
	// compared to.
	SpeedUpOf string
}

// Size is a case at one of its sizes.
type Size struct {
	Experiment fabricast.Experiment
	Cut        string // what makes it less than the full size, empty if nothing does
	Repeat     int    // how many times it is measured if nobody says
	Bound      Bound
}

// Bound is what the project demands of itself; zero where it demands nothing.
type Bound struct {
	CPU       float64 // s
	NSPerHop  float64 // ns of CPU a packet-hop
	Memory    float64 // bytes at the peak
	WallRatio float64 // to the case that SpeedUpOf names
}

// at is the size to measure.
func (c *Case) at(full bool) *Size {
	if full {
		return &c.Full
	}
	return &c.Short
}

// Select returns the named cases in the order of the table; without names, all.
// A name that does not exist is an *UnknownError.
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

// Names are the names of all cases.
func Names() []string {
	var names []string
	for _, c := range Cases() {
		names = append(names, c.Name)
	}
	return names
}

// UnknownError is the name of a case that does not exist.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("found case %s, expected %s", e.Name, config.OneOf(Names()))
}
