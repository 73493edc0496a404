// Package tables selects the algorithm of a collective's call by rules that refer to the number of
// ranks, the size, the operation and the place of the call.
//
// The built-in tables contain the rules of MPI libraries and are files of this folder.
// docs/collectives.md describes their format.
//
// A rule names a collective and an algorithm. The names are known if the packages of the algorithms
// are imported. Package calls, and thus package mpi, imports all of them.
package tables
