// Package tables chooses the algorithm of a call by rules: number of ranks, size, operation and place.
//
// Built-in tables have the rules of MPI libraries, in the files of this folder. docs/collectives.md
// describes their format.
//
// A rule names a collective and an algorithm. They are known when their packages are imported: package
// calls, and so mpi, imports all.
package tables
