// Package cli implements the command fabricast: a thin layer over the public API.
//
// Data goes to standard output, everything else to standard error. A subcommand is a file of its
// own, added to the list in New.
package cli
