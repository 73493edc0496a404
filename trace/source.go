package trace

import "fmt"

// Source is an opened trace of records. Its methods are safe for concurrent use.
type Source interface {
	Trace
	// Open starts to read the records of a rank. With an error the stream is nil.
	Open(rank int) (Stream, error)
}

// Stream yields the records of one rank. It must not be used by several goroutines at once.
type Stream interface {
	// Next reads the next record. It returns io.EOF after the last one, and an *Error where the
	// trace cannot be read any further.
	Next(r *Record) error
	// Faults returns the faults corrected while reading so far.
	Faults() Faults
	// Recorded returns the time, in ps, from the first event to the last one read so far, as
	// recorded; 0 if the trace has no times.
	Recorded() int64
	// Events returns the number of events of the trace that have been read so far.
	Events() int64
}

// OneSided reports whether a trace may have puts and gets.
func OneSided(t Trace) bool {
	s, ok := t.(interface{ OneSided() bool })
	return ok && s.OneSided()
}

// Options supply what a trace does not state.
type Options struct {
	// Operations are the rates of computation of ranks, for traces that count operations instead of
	// time.
	Operations Rates
}

// Rates are rates of computation in operations per second. Rank i has rate i modulo the number of
// rates. If the list is empty, each rank has DefaultOperations.
type Rates []float64

// Of returns the rate of a rank.
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

// Add adds the counts of another stream.
func (f *Faults) Add(o Faults) {
	f.NegativeTimes += o.NegativeTimes
	f.Unfinished += o.Unfinished
}

// Error reports where a trace cannot be read, and why.
type Error struct {
	File     string
	Offset   int64 // in bytes; for text files the line number, from 1; 0: the whole file
	Text     bool  // Offset is a line
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
