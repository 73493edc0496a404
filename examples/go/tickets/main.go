// Command tickets distributes work by one-sided communication. Ranks draw tickets from a counter in
// the memory of rank 0, and write each result into that memory too. The CPU of rank 0 is not
// involved.
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"

	"fabricast"
	"fabricast/experiment"
	"fabricast/mpi"
	"fabricast/rdma"
	"fabricast/topology"
)

// jobs is the number of jobs.
const jobs = 400

func main() {
	f := new(farm)
	r, err := f.experiment().Run(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%d jobs on %d ranks: %v\n", jobs, r.Ranks, r.SimulatedTime)
	fmt.Printf("jobs of a rank: %d to %d\n", f.least, f.most)
}

// farm holds the results of all jobs and the distribution of jobs over ranks.
type farm struct {
	results     []byte // one 8-byte word per job, in the memory of rank 0
	least, most int    // minimum and maximum number of jobs done by a rank
}

// experiment returns an experiment that runs the program on a fat tree with four ranks on each
// node.
func (f *farm) experiment() *fabricast.Experiment {
	return &fabricast.Experiment{
		Network: experiment.Network{
			Topology: topology.FatTreeSpec{Radix: 4, Levels: 2},
		},
		Node:    experiment.Node{Ranks: 4},
		Program: f.program,
	}
}

func (f *farm) program(rank *mpi.Rank) {
	nic := rdma.Open(rank)
	counter := nic.Register(mpi.Data(make([]byte, 8)))
	own := mpi.Size(0)
	if rank.Rank() == 0 {
		f.results = make([]byte, 8*jobs)
		own = mpi.Data(f.results)
	}
	results := nic.Register(own)
	rank.Barrier("")
	done := 0
	var last rdma.Handle
	for {
		job := nic.Complete(nic.FetchAdd(counter.At(0, 0), 1))
		if job >= jobs {
			break
		}
		word := make([]byte, 8)
		binary.LittleEndian.PutUint64(word, uint64(work(rank, job)))
		nic.Complete(last) // at most one result is in flight
		last = nic.Put(mpi.Data(word), results.At(0, 8*int(job)), rdma.NoTag)
		done++
	}
	nic.Complete(last)
	rank.Barrier("")
	f.count(rank, done)
}

// work does one job and returns its result, the square of the job's index. The compute time of a
// job is not known in advance.
func work(rank *mpi.Rank, job int64) int64 {
	rank.Compute(mpi.Duration(1+job*job%17) * mpi.Microsecond)
	return job * job
}

// count gathers at rank 0 the number of jobs that each rank has done.
func (f *farm) count(rank *mpi.Rank, done int) {
	if rank.Rank() != 0 {
		word := make([]byte, 8)
		binary.LittleEndian.PutUint64(word, uint64(done))
		rank.Send(mpi.Data(word), 0, 0)
		return
	}
	f.least, f.most = done, done
	for range rank.Size() - 1 {
		word := make([]byte, 8)
		rank.Recv(mpi.Data(word), mpi.AnySource, 0)
		n := int(binary.LittleEndian.Uint64(word))
		f.least, f.most = min(f.least, n), max(f.most, n)
	}
}
