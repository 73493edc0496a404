package rdma

import (
	"fabricast/mpi"
	"fabricast/node"
)

// Region identifies memory of a rank that other ranks may access. A rank's regions are numbered 1,
// 2, and so on, in the order of registration. So ranks that register the same memory in the same
// order know each other's regions.
type Region int

// Place is the target of an operation: a byte in the memory of a rank.
type Place struct {
	Rank   int    // world rank
	Region Region // region of that rank; 0 for operations without contents
	Byte   int    // offset within the region
}

// At returns the place for operations without contents on the given rank.
func At(rank int) Place { return Place{Rank: rank} }

// At returns the place of the given byte in region g of the given rank.
func (g Region) At(rank, byte int) Place { return Place{Rank: rank, Region: g, Byte: byte} }

// Register makes the buffer accessible to other ranks, at no cost. If the buffer has no contents,
// only bounds are checked. The run ends with an error if, when a NIC executes an operation, the
// operation is outside of the target's registered regions.
func (n NIC) Register(buf mpi.Buf) (region Region) {
	n.rank.Emit(func(ops *node.Ops) { region = Region(ops.OneSided().Register(buf)) })
	return region
}

// Unregister makes a region inaccessible to other ranks.
func (n NIC) Unregister(region Region) {
	n.rank.Emit(func(ops *node.Ops) { ops.OneSided().Unregister(int32(region)) })
}
