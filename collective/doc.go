// Package collective holds collective communication algorithms, each written
// as point-to-point messages in the way its paper describes it.
//
// # Model
//
// An algorithm is a function of a [Comm] and buffers, such as [AlltoallBruck];
// it may be called by itself. [Alltoall] and its like check the arguments,
// choose an algorithm by name and call it; wrong arguments panic, which ends a
// run with the message. All ranks of the communicator must call the same
// collective with the same algorithm, root and sizes.
//
// Buffers have contents or only a size. Then the messages are the same, but
// nothing is packed or combined, and a rank needs memory for neither blocks nor
// results. Copying and combining within a rank takes no simulated time; a
// program that wants it to lets the rank compute.
//
// # Catalogue
//
// [Kinds], [Algorithms] and [Names] list what there is, the default first;
// [Check] tells before a run whether an algorithm accepts a number of ranks.
//
// # Another algorithm
//
// is one function in a file of its own and one line in the list of its
// collective, such as the one in alltoall.go. If its rounds depend on their numbers
// alone, it goes from one to the next with Comm.Round, which lets ranks without a stack
// go straight to the round at which they stand. The tests take it from there,
// and ask for the formula of its traffic in count_test.go.
package collective
