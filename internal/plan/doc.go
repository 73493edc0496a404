// Package plan turns an experiment into what the simulator needs: the network with the bandwidths
// of its links, the routing algorithm with its tables and virtual channels, the proof that it is
// free of deadlock, and the host of every rank.
//
// Build returns the Plan of a resolved experiment, or an error that says why it cannot run. It also
// decides what the experiment leaves open: the number of virtual channels and, for irregular
// networks, the routing algorithm (buildRouting). Before it allocates large structures it estimates
// their size (Forecast). A finished Plan is immutable: packages predict and run only read it.
package plan
