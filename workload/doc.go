// Package workload holds the communication programs that experiments call by
// name: every collective, and the patterns that networks are commonly judged by.
//
// A [Program] describes itself: its parameters with units and defaults, and the
// numbers of ranks it runs on. [Program.Resolve] fills in defaults and finds
// what is wrong with what a user gave; [Build] makes what each rank runs, a
// loop that needs no stack. All programs move sizes only, without contents.
//
// # Another program
//
// is one file with its description and its loop (see [mpi.Loop] for what it must
// not do), and one line in the list of programs.go.
package workload
