// Package deadlock checks before a run whether packets could wait for each other for ever.
//
// A channel is one virtual channel (VC) of one output port. A packet that arrived through one
// channel and requests another may have to wait until that has room: the first channel depends on
// the second. If the dependencies of all packets that the routing algorithm may send form no cycle,
// the network cannot deadlock (Dally and Seitz, IEEE Trans. Computers 1987). An algorithm with
// escape channels may have cycles among its other channels, if an escape channel is offered
// wherever a packet may have to wait, and the escape channels form no cycle (Duato, IEEE Trans.
// Parallel and Distributed Systems 1993 and 1996).
//
// Check follows every route of an algorithm and searches the dependencies it found for a cycle. It
// uses only the routes of an algorithm, so a user's own algorithm gets the same check as those of
// package routing. It also finds routes that do not arrive.
package deadlock
