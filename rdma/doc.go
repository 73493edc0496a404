// Package rdma provides one-sided communication for rank programs in Go: put, get and atomic
// operations on the memory of other ranks. NICs carry them out without the target's processor.
//
//	func main(rank *mpi.Rank) {
//		nic := rdma.Open(rank)
//		right := (rank.Rank() + 1) % rank.Size()
//		h := nic.Put(mpi.Size(2<<20), rdma.At(right), 7)
//		nic.Poll(7)     // the put of the left neighbour is in memory
//		nic.Complete(h) // the own put is in memory at the right neighbour
//	}
//
// # Model
//
// A put costs the origin's processor the software overhead. The origin's NIC then reads the data
// from memory and sends it as packets, like those of any message, and the target's NIC writes them
// to memory. When all data is in memory, the target's NIC returns a packet without payload. The put
// is complete when the origin has received this packet. A get consists of a request without payload
// and a reply with the data; it is complete when the data is in the origin's memory. An atomic
// operation consists of a message with its operands, which the target's NIC executes on arrival,
// and a reply with the old value. A NIC replies at the instant at which it receives a request.
// docs/model.md has the details, and describes operations between ranks of one node.
//
// [NIC.Complete] takes only the waiting time. [NIC.Poll] also costs the software overhead, once the
// put is in memory.
//
// # Memory
//
// Operations on buffers without contents need no registered memory. To transfer contents, or to
// have bounds checked, the target registers memory ([NIC.Register]), and the origin names the
// region and a byte offset ([Region.At]). A get reads, and a put overwrites, the memory at the
// simulated time at which the NIC accesses it. A rank whose program has run ahead of that time
// without waiting may already have changed the memory, so programs must synchronize, as on a real
// machine.
//
// # Loops
//
// In the body of an [mpi.Loop] no blocking call may come between an operation and its Complete, and
// Test must not be called. Where that is too strict, use [mpi.Comm.ByPut], whose requests can be
// waited for together.
package rdma
