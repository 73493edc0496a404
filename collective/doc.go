// Package collective is the framework for collective communication algorithms, each written as
// point-to-point messages in the way its paper describes it.
//
// # Model
//
// An algorithm is a function of a [Comm] and buffers, such as Bruck's alltoall, and may be called
// directly. The function of a collective checks its arguments, selects an algorithm by name and
// calls it. Invalid arguments cause a panic, which ends a run with the message. All ranks of the
// communicator must call the same collective with the same algorithm, root and sizes.
//
// Buffers have contents or only a size. Without contents the messages are the same, but nothing is
// packed or reduced, and a rank needs no memory for blocks or results. Copying and reducing within
// a rank takes no simulated time unless the Comm is a [Worker].
//
// # Catalogue
//
// A collective is registered here when its package is imported. Package calls imports all of them,
// and mpi imports calls.
//
// Some algorithms need to know where ranks are: their hosts, groups of routers, or their box on a
// torus (see [Layout]). A Comm that is [Placed] tells them.
//
// [Kinds], [Algorithms] and [Names] list the collectives and their algorithms, the default first.
// [Check] reports before a run whether an algorithm accepts a number of ranks.
//
// # Adding an algorithm
//
// An algorithm is one function in its own file, in the package of its collective. The file
// registers it in Algorithms, the [Family] of the collective. An algorithm with options registers a
// function of their values (see [Family.RegisterWith]); users append the options to its name. If
// its rounds depend only on their index, it should iterate with Comm.Round, so that ranks without a
// stack can skip completed rounds. The tests then cover it automatically, and require a formula for
// its traffic in calls/count_test.go.
package collective
