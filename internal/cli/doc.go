// Package cli is the command fabricast, a thin layer over the public API: Main runs it, and New lists
// its subcommands. Data goes to standard output, everything else to standard error.
//
// Subcommands are in rooms by subject, each in a file of its own:
//   - setup: what comes before a run, from init to check;
//   - runs: run, resume and rewind;
//   - sweeps: many runs, in one process or as jobs of a cluster;
//   - traces: traces that are described, converted and cut;
//   - reports: results shown, compared and exported.
//
// Below them are cmdline (arguments and flags), ending (errors, exit codes and signals) and console
// (what is printed).
package cli
