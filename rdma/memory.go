package rdma

import (
	"fabricast/mpi"
	"fabricast/node"
)

// Region is memory of a rank that other ranks may access, by its number among those that the rank has
// registered: 1, 2, and so on. Ranks that register the same memory in the same order know one another's regions.
type Region int

// Place is where in whose memory an operation takes place.
type Place struct {
	Rank   int    // of the world
	Region Region // of that rank; 0: operations of sizes only, with no bounds
	Byte   int    // of the region
}

// At is the memory of a rank for operations of sizes only.
func At(rank int) Place { return Place{Rank: rank} }

// At is a byte of a rank's region.
func (g Region) At(rank, byte int) Place { return Place{Rank: rank, Region: g, Byte: byte} }

// Register opens the buffer to other ranks, at no cost. Without contents only bounds are checked.
// An operation that is not within a region of its target, at the time when the target's NIC is at it, ends the run with an error.
func (n NIC) Register(buf mpi.Buf) (region Region) {
	n.rank.Emit(func(ops *node.Ops) { region = Region(ops.Register(buf)) })
	return region
}

// Unregister closes a region.
func (n NIC) Unregister(region Region) {
	n.rank.Emit(func(ops *node.Ops) { ops.Unregister(int32(region)) })
}
