package trace

import "fmt"

// Source is an opened trace that stores a sequence of records per rank. Its methods are safe for
// concurrent use.
type Source interface {
	Trace
	// Open returns a stream of the records of a rank. If it fails, the stream is nil.
	Open(rank int) (Stream, error)
}

// Stream yields the records of one rank. It must not be used by several goroutines at once.
type Stream interface {
	// Next reads the next record. It returns io.EOF after the last one, and an *Error if the rest
	// of the trace cannot be read.
	Next(r *Record) error
	// Faults counts the faults of the trace that the stream has corrected so far.
	Faults() Faults
	// Recorded returns the recorded time, in ps, from the first event of the rank to the last event
	// read so far; 0 if the trace has no times.
	Recorded() int64
	// Events returns the number of events that the stream has read so far.
	Events() int64
}

// OneSided reports whether trace t may contain puts and gets.
func OneSided(t Trace) bool {
	s, ok := t.(interface{ OneSided() bool })
	return ok && s.OneSided()
}

// Options supply data that a trace does not contain.
type Options struct {
	// Operations are the computation rates of the ranks, for traces that give computation as a
	// number of operations instead of a time.
	Operations Rates
}

// Rates are rates of computation in operations per second. Rank i has rate i modulo the number of
// rates. If the list is empty, each rank has DefaultOperations.
type Rates []float64

// Of returns the rate of the given rank, in operations per second.
func (r Rates) Of(rank int) float64 {
	if len(r) == 0 {
		return DefaultOperations
	}
	return r[rank%len(r)]
}

// DefaultOperations is the default rate of computation, in operations per second.
const DefaultOperations = 1e9

// Faults counts faults of a trace that were corrected.
type Faults struct {
	NegativeTimes int64 // negative durations, which count as 0
	Unfinished    int64 // receives that were started but never completed, which are omitted
}

// Add adds the counts of o to f.
func (f *Faults) Add(o Faults) {
	f.NegativeTimes += o.NegativeTimes
	f.Unfinished += o.Unfinished
}

// Error reports at which position of which file a trace cannot be read, and why.
type Error struct {
	File     string
	Offset   int64 // in bytes, or a line number from 1 if Text is set; 0: the error concerns the whole file
	Text     bool  // Offset is a line number
	What     string
	Found    string
	Expected string
}

func (e *Error) Error() string {
	place := ""
	switch {
	case e.Text && e.Offset > 0:
		place = fmt.Sprintf("line %d: ", e.Offset)
	case e.Offset > 0:
		place = fmt.Sprintf("byte %d: ", e.Offset)
	}
	return fmt.Sprintf("%s: %s%s: found %s, expected %s", e.File, place, e.What, e.Found, e.Expected)
}
