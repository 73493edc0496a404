// Package libraries writes and reads the files by which MPI libraries choose the algorithms of
// their collectives.
//
//	decisions.go  what is written: algorithms by numbers of ranks and sizes
//	format.go     the formats, by name; read.go finds out which one a file has
//	own.go        the tables of package tables
//	openmpi.go    the rules of Open MPI's component "tuned"; openmpi_json.go those of version 6
//	mpich.go      the trees of MPICH; mpich_read.go reads them, mpich_rest.go has what it must not lack
//	nccl.go       the CSV files of NCCL's example of a tuner
//	names.go      which algorithm of a library is which one here
//
// A file is read as the lines of a table, so package tables alone decides what they mean.
package libraries
