// Package fortran generates what programs in Fortran need from the C interface: functions that
// receive their arguments by reference, constants, and the modules mpi and mpi_f08.
package fortran
