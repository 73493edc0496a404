// Package collective holds collective communication algorithms, each written as point-to-point
// messages in the way its paper describes it.
//
// # Model
//
// An algorithm is a function of a [Comm] and buffers, such as [Bruck], and may be called
// directly. [Alltoall] and the other collectives check their arguments, choose an algorithm by name
// and call it. Wrong arguments panic, which ends a run with the message. All ranks of the
// communicator must call the same collective with the same algorithm, root and sizes.
//
// Buffers have contents or only a size. Without contents the messages are the same, but nothing is
// packed or combined, and a rank needs no memory for blocks or results. Copying and combining
// within a rank takes no simulated time. A program can simulate that time by computing.
//
// # Catalogue
//
// Collectives are known here when their packages are imported. Package calls imports them all, and mpi
// imports calls.
//
// [Kinds], [Algorithms] and [Names] list what there is, the default first. [Check] reports before a
// run whether an algorithm accepts a number of ranks.
//
// # Another algorithm
//
// is one function in a file of its own, in the package of its collective, that registers it in
// Algorithms, the [Family] of the collective. One that has options registers a function of their values (see [Family.RegisterWith]), and users give them after
// its name. If its rounds depend only on their numbers, it should go from one to the next
// with Comm.Round, so that ranks without a stack can skip the rounds that are done. The tests then
// cover it, and require the formula of its traffic in calls/count_test.go.
package collective
