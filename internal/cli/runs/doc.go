// Package runs has the subcommands that simulate one experiment: run, resume and rewind. They run a
// built-in program, synthetic traffic, a C program, a trace or several jobs, in one process or in
// those of a launcher, with or without checkpoints.
package runs
