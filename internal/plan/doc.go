// Package plan makes an experiment concrete: the network laid out, its links with their bandwidths,
// the routing algorithm with its tables and the number of virtual channels, the proof that it is
// free of deadlock, and the host of every rank.
//
// Build makes a Plan of a resolved experiment, or refuses it. What the experiment leaves open, the
// number of virtual channels and the algorithm of networks of any shape, is decided here
// (buildRouting). Before something is made that may not fit in memory, its size is estimated
// (Forecast). A Plan is not changed any more: packages predict and run only read it.
package plan
