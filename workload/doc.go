// Package workload holds the built-in communication programs: every collective, and patterns that
// are commonly used to compare networks.
//
// A [Program] describes its parameters, with units and defaults, and the numbers of ranks it can
// run on. [Program.Resolve] fills in defaults and checks the values given by the user. [Build]
// returns the loop that each rank runs, which needs no stack. All programs send messages of given
// sizes without contents.
//
// # Adding a program
//
// A program is one file with its description and its loop (see [mpi.Loop] for restrictions). The
// file registers it with a call of register.
package workload
