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
	Rank   int    // in the world
	Region Region // of that rank; 0: none, for operations that have sizes only
	Byte   int    // offset within the region
}

// At returns the place for operations on a rank that have sizes only.
func At(rank int) Place { return Place{Rank: rank} }

// At returns the place of a byte in the region of a rank.
func (g Region) At(rank, byte int) Place { return Place{Rank: rank, Region: g, Byte: byte} }

// Register makes the buffer accessible to other ranks, at no cost. If the buffer has no contents,
// only bounds are checked. An operation outside of all regions of its target, at the time when the
// target's NIC executes it, ends the run with an error.
func (n NIC) Register(buf mpi.Buf) (region Region) {
	n.rank.Emit(func(ops *node.Ops) { region = Region(ops.OneSided().Register(buf)) })
	return region
}

// Unregister ends the access of other ranks to a region.
func (n NIC) Unregister(region Region) {
	n.rank.Emit(func(ops *node.Ops) { ops.OneSided().Unregister(int32(region)) })
}
