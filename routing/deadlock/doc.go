// Package deadlock tells before a run whether packets could wait for one another
// for ever.
//
// A channel is one virtual channel (VC) of one output port. A packet that came
// by one channel and asks for another waits, if need be, until the other has room: the
// first channel depends on the second. If these dependencies, of all packets that the
// routing algorithm may send, close no circle, the network cannot deadlock (Dally
// and Seitz, IEEE Trans. Computers 1987). An algorithm with escape channels may
// have circles among the others, if the escape channels are offered wherever a
// packet may have to wait, and close no circle themselves (Duato, IEEE Trans.
// Parallel and Distributed Systems 1993 and 1996).
//
// Check walks every route of an algorithm and searches what it found for a
// circle. It knows nothing of the algorithm but its routes, so a user's own
// gets the same check as those of package routing. On the way it finds
// routes that do not arrive.
package deadlock
