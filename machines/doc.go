// Package machines describes real machines: their networks and nodes, as settings of an experiment,
// with the source of every number and what is known of its accuracy.
//
// A machine is one file with its [Description], which registers itself. What follows from it:
// network.machine of experiments, the list of `fabricast machines`, docs/machines.md, schemas, and
// tests, which demand a source for every number.
package machines
