// Package ethernetoracle is a second implementation of the network model of package ethernet, written
// to be obviously correct rather than fast. Tests compare the engine's results with it, bit by bit.
//
// It follows the documentation of package ethernet sentence by sentence. It has one list of events
// for the whole network, an object for every packet that lives as long as anything refers to it, and
// it keeps no sums: whatever the rules call the bytes of a queue, of a buffer or under way is added
// up when it is asked for. It has no blocks, no windows and no parallelism. It shares no code with the
// engine. Of package ethernet it uses the parameters; congestion control and choices of paths come
// from packages ethernet/control and ethernet/paths, which have tests of their own.
package ethernetoracle
