// Package setup has the subcommands that prepare experiments, and for which no packets are
// simulated: init, check, topo and schema; lists of machines, programs and patterns; and calibrate,
// which fits the parameters of a machine to measurements.
package setup
