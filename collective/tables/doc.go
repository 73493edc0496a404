// Package tables chooses the algorithm of a call by rules: number of ranks, size, operation and place.
//
// Built-in tables have the rules of MPI libraries, in the files of this folder. docs/collectives.md
// describes their format.
package tables
