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
// several threads, so data that ranks share other than by messages must be safe for concurrent use.
// For repeatable results such data must be constant.
//
// Windows ([Win]) are memory that other ranks access by one-sided calls.
//
// Buffers have contents ([Data]) or only a size ([Size]). Contents are copied when a message is
// sent and delivered when its receive completes.
//
// Calls with invalid arguments panic. A panic in a program ends the run with an error that names
// the rank.
package mpi
