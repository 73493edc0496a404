// Package fortran writes what programs in Fortran need, from the C interface: functions that take their arguments
// by reference, the constants, and the modules mpi and mpi_f08.
package fortran
