// Package rdma is one-sided communication for rank programs in Go: put, get and atomic operations on the
// memory of other ranks, which the NICs carry out while the processor of the other rank goes on.
//
//	func main(rank *mpi.Rank) {
//		nic := rdma.Open(rank)
//		right := (rank.Rank() + 1) % rank.Size()
//		h := nic.Put(mpi.Size(2<<20), rdma.At(right), 7)
//		nic.Poll(7)     // the put of the rank to the left is in memory
//		nic.Complete(h) // the own one is in memory at the right
//	}
//
// # Model
//
// A put costs the origin's processor the software overhead. Its NIC then reads the data from
// memory, sends it as packets like those of any message, and the target's NIC moves them to memory. When all is there, the target's NIC
// sends a packet without payload back, and the put is complete when that has arrived. A get is a packet
// without payload that asks for the data, and the data; it is complete when that is in memory. An atomic
// operation is a message with its operands, carried out by the target's NIC when it has arrived,
// and one with what was found. Answers leave by the NIC that the request came by, at the very instant. docs/model.md has
// the details, and what happens between ranks of one node.
//
// [NIC.Complete] costs nothing but the wait, [NIC.Poll] the overhead once the put is in memory.
//
// # Memory
//
// Operations of sizes need nothing else. For contents, or to have bounds checked, the target registers
// memory ([NIC.Register]), and the origin names the region and the byte ([Region.At]). What a get finds, and what a put overwrites, is the memory
// at the moment of the simulation when the NIC is at it. A rank whose program has gone ahead of that time without
// waiting for anything may have changed it already, so programs synchronize, as they would have to on a real machine.
//
// # Loops
//
// In the body of an [mpi.Loop] nothing that blocks may come between an operation and its Complete, and Test must not be called. Where
// that does not do, [mpi.Comm.ByPut] has requests that can be waited for together.
package rdma
