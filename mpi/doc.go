// Package mpi is the API of rank programs in Go: point-to-point messages, communicators and
// collectives in the manner of MPI, on a simulated network.
//
// A program is a function that every rank runs:
//
//	func main(rank *mpi.Rank) {
//		if rank.Rank() == 0 {
//			rank.Send(mpi.Size(1024), 1, 0)
//		} else if rank.Rank() == 1 {
//			rank.Recv(mpi.Size(1024), 0, 0)
//		}
//	}
//
// # Model
//
// Each rank is a coroutine: it runs until it needs a result that depends on simulated time. A
// program whose messages do not depend on what it receives can be a [Loop] instead, whose ranks
// need no stack. Code between calls takes no simulated time; [Rank.Compute] does. Ranks run on
// several threads. So data that ranks share outside of messages must be safe for concurrent use,
// and should never change if results are to be repeatable.
//
// Windows ([Win]) are memory that other ranks access by one-sided calls.
//
// Buffers have contents ([Data]) or only a size ([Size]). Contents are copied when a message is
// sent and delivered when its receive completes.
//
// Wrong arguments panic. A panic of a program ends the run with an error that names the rank.
package mpi
