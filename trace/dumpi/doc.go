// Package dumpi reads traces that SST DUMPI has recorded: a binary file for each rank with all of
// its MPI calls and their arguments, and a file of metadata (versions 0.6.9 and up of the format,
// which write 1.0.0 or 13.0.0).
//
// A file ends with an index of its sections. The body has the calls. Other sections have the sizes
// of datatypes and the number of calls of each function, by which a reader can check that it has
// seen all.
package dumpi
