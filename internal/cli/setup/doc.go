// Package setup has the subcommands that prepare experiments and simulate no packets for their results:
// init, check, topo and schema; lists of machines, programs and patterns; and calibrate, which fits
// the parameters of a machine to measurements.
package setup
