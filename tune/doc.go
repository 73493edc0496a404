// Package tune finds the fastest algorithm of a collective for every size and number of ranks on a
// machine. A tune is a sweep of its points, run in rounds: the points of a round are those that may
// still win after the rounds before it.
//
//	spec.go        what is tuned: sizes, numbers of ranks, options
//	candidates.go  the algorithms of a cell, that is, of a size on a number of ranks
//	bound.go       lower bounds of times
//	run.go         rounds of points
//	result.go      the result, as JSON; decide.go makes it
//	text.go        the result as text, picture.go as a picture
package tune
