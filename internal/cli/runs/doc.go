// Package runs has the subcommands that simulate one experiment: run, resume and rewind. They run a
// built-in program, synthetic traffic, a C program, a trace or several jobs, in one process or in
// the processes of a launcher such as mpirun, with or without checkpoints.
package runs
