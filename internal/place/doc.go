// Package place searches for mappings of ranks to hosts under which a program loads the links of
// its network less.
//
//	matrix.go  what ranks send to each other
//	routes.go  the links that lie between two hosts
//	state.go   a mapping and the loads of links under it, kept up to date by swaps of two ranks
//	starts.go  mappings from which a search starts
//	search.go  the search
//	regular.go regular rearrangements of a grid, such as tilts
//	report.go  its result, as text and as JSON
//
// The hosts that the experiment's own mapping uses, and the number of ranks on each, stay as they
// are.
package place
