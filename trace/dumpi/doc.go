// Package dumpi reads traces recorded by SST DUMPI, version 0.6.9 or newer: a binary file per rank
// with all its MPI calls and their arguments, and a metadata file. Newer versions state 1.0.0 or
// 13.0.0 as the version of the format.
//
// A file ends with an index of its sections. The body contains the calls. Other sections contain
// the sizes of datatypes and the number of calls of each function, with which a reader can verify
// that it has read all calls.
package dumpi
