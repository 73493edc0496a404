// Package workload holds the built-in communication programs: every collective, and the patterns by
// which networks are commonly compared.
//
// A [Program] describes itself: its parameters with units and defaults, and the numbers of ranks it
// runs on. [Program.Resolve] fills in defaults and checks what a user gave. [Build] returns what
// each rank runs, a loop that needs no stack. All programs send messages of given sizes without
// contents.
//
// # Another program
//
// is one file with its description and its loop (see [mpi.Loop] for restrictions), and one line in
// the list of programs.go.
package workload
