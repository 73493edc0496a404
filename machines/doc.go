// Package machines describes real machines: their networks and nodes, as settings of an experiment,
// with the source of every number and what is known about its accuracy.
//
// Each machine is one file with its [Description], which registers itself. Everything else is
// derived from that: network.machine in experiments, the list of `fabricast machines`,
// docs/machines.md, schemas, and tests, which require a source for every number.
package machines
