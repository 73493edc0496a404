// Package fabricast predicts how programs communicate on an interconnection network that may not
// exist yet. It is a deterministic, parallel, packet-level simulator of the network, its nodes, and
// the ranks of a program.
//
// # Use
//
// An Experiment describes the network and the program, in Go or in a YAML file (Load). Run makes
// the prediction. The Result holds the predicted time, the traffic on every link, and a hash of all
// simulated events:
//
//	e, err := fabricast.Load("examples/quickstart.yaml")
//	...
//	result, err := e.Run(ctx)
//
// The program is a built-in one, selected by name (package workload), or a Go function that each
// rank runs (package mpi). Instead of a program, an experiment may have synthetic Traffic, to
// measure the network's throughput and latency.
//
// # Determinism
//
// The result depends on the experiment alone, which includes its seed. The number of workers
// affects only how long the simulation takes.
//
// # Errors
//
// *ConfigError: the experiment is invalid. Its Problems have file, line, column, field, the value
// found, and the value expected. *RunError: the simulated program made an error. *DeadlockError:
// ranks or packets are in a cyclic wait. *InterruptedError: the context was cancelled.
// *InternalError: the simulator violated one of its own invariants.
package fabricast
