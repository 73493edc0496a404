// Package setup has the subcommands that prepare experiments without simulating packets (init,
// check, topo and schema), the lists of machines, programs and patterns, and calibrate, which fits
// the parameters of a machine to measurements.
package setup
