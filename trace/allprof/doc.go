// Package allprof reads the traces that liballprof writes, which are the input of LogGOPSim's
// schedule generator: a text file for each rank with one MPI call in every line, its begin and end
// in microseconds, and its arguments.
//
// A line is NAME:BEGIN:ARGUMENT:...:END. Datatypes are "number,size,extent" and communicators
// "handle,rank,size". Requests, flags and statuses are addresses only. So the trace does not say
// which requests MPI_Waitany and MPI_Test completed, which message a receive from any source
// matched, or which ranks are in a communicator.
package allprof
