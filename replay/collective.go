package replay

import (
	"fabricast/collective"
	"fabricast/collective/allgather"
	"fabricast/collective/allreduce"
	"fabricast/collective/alltoall"
	"fabricast/collective/barrier"
	"fabricast/collective/broadcast"
	"fabricast/collective/gather"
	"fabricast/collective/reduce"
	"fabricast/collective/reducescatter"
	"fabricast/collective/scan"
	"fabricast/collective/scatter"
	"fabricast/mpi"
	"fabricast/trace"
)

// carryOut performs the rank's part of collective o through package mpi, with the algorithms that
// the run selects.
func carryOut(c *mpi.Comm, o *trace.Operation) {
	if o.Uneven {
		uneven(c.Collective(), o)
		return
	}
	size, all := mpi.Size(int(o.Size)), mpi.Size(int(o.Size)*c.Size())
	const choose = collective.Default
	switch o.Kind {
	case trace.Barrier:
		c.Barrier(choose)
	case trace.Broadcast:
		c.Broadcast(size, int(o.Root), choose)
	case trace.Gather:
		c.Gather(size, all, int(o.Root), choose)
	case trace.Scatter:
		c.Scatter(all, size, int(o.Root), choose)
	case trace.Allgather:
		c.Allgather(size, all, choose)
	case trace.Alltoall:
		c.Alltoall(all, all, choose)
	case trace.Allreduce:
		c.Allreduce(size, size, nil, choose)
	case trace.Reduce:
		c.Reduce(size, size, nil, int(o.Root), choose)
	case trace.ReduceScatter:
		c.ReduceScatter(all, size, nil, choose)
	case trace.Scan:
		c.Scan(size, size, nil, choose)
	case trace.Exscan:
		c.Exscan(size, size, nil, choose)
	}
}

// CarryOut performs the rank's part of collective o on any implementation of collective.Comm, with
// the default algorithms.
func CarryOut(c collective.Comm, o *trace.Operation) {
	if o.Uneven {
		uneven(c, o)
		return
	}
	one, all := mpi.Size(int(o.Size)), mpi.Size(int(o.Size)*c.Size())
	const a = collective.Default
	switch root := int(o.Root); o.Kind {
	case trace.Barrier:
		barrier.Run(c, a)
	case trace.Broadcast:
		broadcast.Run(c, one, root, a)
	case trace.Gather:
		gather.Run(c, one, all, root, a)
	case trace.Scatter:
		scatter.Run(c, all, one, root, a)
	case trace.Allgather:
		allgather.Run(c, one, all, a)
	case trace.Alltoall:
		alltoall.Run(c, all, all, a)
	case trace.Allreduce:
		allreduce.Run(c, one, one, nil, a)
	case trace.Reduce:
		reduce.Run(c, one, one, nil, root, a)
	case trace.ReduceScatter:
		reducescatter.Run(c, all, one, nil, a)
	case trace.Scan:
		scan.Run(c, one, one, nil, a)
	case trace.Exscan:
		scan.RunExclusive(c, one, one, nil, a)
	}
}

// unevenTag is the tag of the messages of uneven collectives, which package collective does not
// implement.
const unevenTag = 1 << 20

// anything is a receive buffer for a message of which only the sender knows the size.
var anything = mpi.Size(1 << 40)

// uneven performs a collective whose data blocks have different sizes, such as MPI_Alltoallv. If
// the trace does not contain the size of each data block, all have the mean size. The ranks
// exchange the data blocks directly, in cyclic order, as in the linear algorithms of MPI libraries.
func uneven(c collective.Comm, o *trace.Operation) {
	root := int(o.Root)
	switch o.Kind {
	case trace.Gather:
		toRoot(c, root, mpi.Size(int(o.Size)))
	case trace.Scatter:
		fromRoot(c, root, o)
	default:
		toAll(c, o)
	}
}

// block returns a buffer with the size of the data block that this rank sends to the given rank.
func block(o *trace.Operation, rank int) mpi.Buf {
	if o.Blocks != nil {
		return mpi.Size(int(o.Blocks[rank]))
	}
	return mpi.Size(int(o.Size))
}

// toRoot performs a gather: every other rank sends a data block of the given size to the root.
func toRoot(c collective.Comm, root int, size mpi.Buf) {
	if c.Rank() != root {
		c.Send(size, root, unevenTag)
		return
	}
	var list []mpi.Request
	for r := range c.Size() {
		if r != root {
			list = append(list, c.Irecv(anything, r, unevenTag))
		}
	}
	c.WaitAll(list)
}

// fromRoot performs a scatter: the root sends a data block to every other rank.
func fromRoot(c collective.Comm, root int, o *trace.Operation) {
	if c.Rank() != root {
		c.Recv(anything, root, unevenTag)
		return
	}
	var list []mpi.Request
	for r := range c.Size() {
		if r != root {
			list = append(list, c.Isend(block(o, r), r, unevenTag))
		}
	}
	c.WaitAll(list)
}

// toAll performs an all-to-all: it exchanges data blocks with every other rank, one rank at a time.
func toAll(c collective.Comm, o *trace.Operation) {
	n := c.Size()
	for k := c.Round(0, n-1); k < n-1; k = c.Round(k+1, n-1) {
		d := k + 1
		to, from := (c.Rank()+d)%n, (c.Rank()+n-d)%n
		c.Sendrecv(block(o, to), to, unevenTag, anything, from, unevenTag)
	}
}
