// Package pacing computes how much the messages of a communication pattern overlap in a network,
// and from that the gaps between their packets.
//
// A NIC that paces a message with a gap of n pauses for n packet times after each of its packets.
// MOD pacing (message overlap degree) chooses the gap of each step of a collective such that the
// packets of all its messages fit on the links: the number of messages that cross the busiest link,
// minus 1. Gaps are computed from the pattern and the routes before the run, and cost no simulated
// time.
//
// An older rule uses the largest hop count of a step ([Network.HopGaps]).
//
// [Network.Gaps] computes gaps for any pattern, and [Steps] returns the pattern of a collective. A
// program is paced by mpi.Comm.Pace, a built-in program by workload.pacing, and the collectives of
// any program by a [Pacer], as selected in the section collectives of an experiment.
package pacing
