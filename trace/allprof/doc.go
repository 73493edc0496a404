// Package allprof reads traces written by liballprof, which are the input of LogGOPSim's schedule
// generator. A trace is one text file per rank. Each line is an MPI call with its arguments and its
// start and end times in microseconds.
//
// A line is NAME:BEGIN:ARGUMENT:...:END. Datatypes are "number,size,extent" and communicators
// "handle,rank,size". Of requests, flags and statuses, only the addresses are recorded. Therefore
// the trace does not contain which requests MPI_Waitany and MPI_Test completed, which message a
// receive from any source matched, or which ranks are in a communicator.
package allprof
