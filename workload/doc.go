// Package workload contains the built-in communication programs: each collective, and communication
// patterns that are commonly used to compare networks.
//
// A [Program] describes its parameters, with units and defaults, and the numbers of ranks it can
// run on. [Program.Resolve] fills in defaults and checks the values given by the user. [Build]
// returns the loop that each rank runs. The messages of all programs have sizes but no contents.
//
// # Adding a program
//
// A program is a file with its description and its loop (see [mpi.Loop] for restrictions). The file
// calls register.
package workload
