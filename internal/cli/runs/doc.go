// Package runs has the subcommands that simulate one experiment: run, resume and rewind. What runs is a
// program by name, traffic, a program in C, a trace or several jobs; in one process or in those of a
// launcher, with checkpoints or without.
package runs
