// Package cli implements the command fabricast, a thin layer over the public API: Main runs it, and
// New creates the root command with its subcommands. Data goes to standard output, everything else
// to standard error.
//
// Subcommands are grouped into packages, with a file for each subcommand:
//
//   - setup: preparation of a run, from init to check;
//   - runs: run, resume and rewind;
//   - sweeps: many runs, in one process or as jobs of a cluster;
//   - traces: description, conversion and cutting of traces;
//   - reports: display, comparison and export of results.
//
// They share the packages cmdline (arguments and flags), ending (errors, exit codes and signals)
// and console (output).
package cli
