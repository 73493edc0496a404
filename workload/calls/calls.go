// Package calls makes the collectives of programs that know only their kind and their size.
package calls

import (
	"fabricast/collective"
	"fabricast/mpi"
)

// Call is a collective of the ranks of a group.
type Call uint8

const (
	Allreduce Call = iota
	Allgather
	ReduceScatter
	Alltoall
	Others // the first number that programs may use for calls of their own
)

// On calls the collective. n is the bytes of all ranks' data together, or for an allreduce of each.
func (c Call) On(comm *mpi.Comm, n int64, algorithm collective.Algorithm) {
	size := int64(comm.Size())
	each := mpi.Size(int((n + size - 1) / size))
	all := mpi.Size(each.Len() * int(size))
	switch c {
	case Allreduce:
		comm.Allreduce(mpi.Size(int(n)), mpi.Size(int(n)), nil, algorithm)
	case Allgather:
		comm.Allgather(each, all, algorithm)
	case ReduceScatter:
		comm.ReduceScatter(all, each, nil, algorithm)
	case Alltoall:
		comm.Alltoall(all, all, algorithm)
	}
}
