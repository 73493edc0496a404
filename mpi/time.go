package mpi

import "fmt"

// Duration is a simulated time, in picoseconds.
type Duration int64

// Units of simulated time.
const (
	Picosecond  Duration = 1
	Nanosecond           = 1000 * Picosecond
	Microsecond          = 1000 * Nanosecond
	Millisecond          = 1000 * Microsecond
	Second               = 1000 * Millisecond
)

// Seconds returns the duration as a number of seconds.
func (d Duration) Seconds() float64 { return float64(d) / float64(Second) }

// String formats the duration exactly, in the largest unit in which it is a whole number, such as
// "1500ns".
func (d Duration) String() string {
	units := []struct {
		name string
		size Duration
	}{{"s", Second}, {"ms", Millisecond}, {"us", Microsecond}, {"ns", Nanosecond}}
	for _, u := range units {
		if d != 0 && d%u.size == 0 {
			return fmt.Sprintf("%d%s", d/u.size, u.name)
		}
	}
	return fmt.Sprintf("%dps", int64(d))
}
