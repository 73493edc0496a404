// Package fabricast predicts how programs communicate on an interconnection
// network that may not exist yet: a packet-level, deterministic, parallel
// simulation of the network, its nodes, and the ranks of a program.
//
// # Use
//
// An Experiment describes the network and the program, in Go or in a YAML file
// (Load). Run predicts; the Result holds the predicted time, what passed over
// every link, and a hash of everything that happened:
//
//	e, err := fabricast.Load("examples/quickstart.yaml")
//	...
//	result, err := e.Run(ctx)
//
// The program is one of the named ones (package workload) or a Go function of
// a rank (package mpi). Instead of a program an experiment may have synthetic
// Traffic, and measure what the network bears.
//
// # Determinism
//
// The result is a function of the experiment alone, seed included. The number of
// workers changes nothing but the time the simulation takes.
//
// # Errors
//
// *ConfigError: the experiment is wrongly described; its Problems have file, line, column, field,
// what was found and what was expected. *RunError: the program did something wrong. *DeadlockError:
// ranks wait for each other, or packets do. *InterruptedError: the context ended the run.
// *InternalError: the simulator broke one of its own invariants.
package fabricast
