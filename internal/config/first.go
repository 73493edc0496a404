package config

import "fmt"

// MostProblems is the largest number of mistakes of one file that are reported.
const MostProblems = 10

// mostCounted is the number of mistakes after which the rest of a file is not read: it is probably
// not such a file at all.
const mostCounted = 1000

// First holds the first mistakes of a file, at most MostProblems, and counts the others.
type First struct {
	list Problems
	more int
}

// Add records a mistake.
func (f *First) Add(p Problem) {
	if len(f.list) == MostProblems {
		f.more++
		return
	}
	f.list = append(f.list, p)
}

// Count returns the number of mistakes, including those that are not reported.
func (f *First) Count() int { return len(f.list) + f.more }

// Enough reports whether there are so many mistakes that the rest of the file should not be read.
func (f *First) Enough() bool { return f.Count() >= mostCounted }

// Problems returns the mistakes to report. The last one says how many more there are.
func (f *First) Problems() Problems {
	list := f.list
	switch {
	case f.Enough():
		list[MostProblems-1].Hint = fmt.Sprintf("and %d more mistakes; the rest was not read", f.more)
	case f.more == 1:
		list[MostProblems-1].Hint = "and 1 more mistake"
	case f.more > 1:
		list[MostProblems-1].Hint = fmt.Sprintf("and %d more mistakes", f.more)
	}
	return list
}
