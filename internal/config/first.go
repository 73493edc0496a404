package config

import "fmt"

// MostProblems bounds how many mistakes of one file are told.
const MostProblems = 10

// First holds the first mistakes of a file, at most MostProblems, and counts the others.
type First struct {
	list Problems
	more int
}

// Add notes a mistake.
func (f *First) Add(p Problem) {
	if len(f.list) == MostProblems {
		f.more++
		return
	}
	f.list = append(f.list, p)
}

// Count is how many mistakes there are.
func (f *First) Count() int { return len(f.list) + f.more }

// Problems returns those that are told. The last of them says how many more there are.
func (f *First) Problems() Problems {
	list := f.list
	switch {
	case f.more == 1:
		list[MostProblems-1].Hint = "and 1 more mistake"
	case f.more > 1:
		list[MostProblems-1].Hint = fmt.Sprintf("and %d more mistakes", f.more)
	}
	return list
}
