// Package pacing finds by how much the messages of a communication pattern overlap in a
// network, and so how far apart their packets should follow one another.
//
// A NIC that paces a message with a gap of n pauses for n packet times after each of its
// packets. MOD pacing (message overlap degree) chooses the gap of a step of a collective so
// that the packets of all of its messages have room on the links: as many messages as cross the busiest
// one, less one. The gaps follow from the pattern and the routes, before anything runs, and
// cost no simulated time.
//
// [Network.Gaps] does this for any pattern; [Steps] makes the pattern of a collective. A
// program is paced by mpi.Comm.Pace, one by name by workload.pacing, and each collective of any program by
// a [Pacer], as the section collectives of an experiment says.
package pacing
