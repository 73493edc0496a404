package rdma_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"fabricast/collective"
	"fabricast/collective/allreduce"
	"fabricast/collective/barrier"
	"fabricast/fabric"
	"fabricast/mpi"
	"fabricast/node/nodetest"
	"fabricast/rdma"
)

// mostTests is how often a rank tests before it waits instead.
const mostTests = 500

// medley is a program in which ranks use every call, chosen by the seed, among messages. What they
// do next depends on what they find in one another's memory.
func medley(seed uint64, nics int) func(*mpi.Rank) {
	return func(r *mpi.Rank) {
		m := &medleyRank{
			Rank: r, nics: nics, nic: rdma.Open(r), memory: make([]byte, 64),
			own: rand.New(rand.NewPCG(seed, uint64(r.Rank()))), common: rand.New(rand.NewPCG(seed, 1<<40)),
		}
		m.region = m.nic.Register(mpi.Data(m.memory))
		for round := range 5 {
			m.round(1+m.common.IntN(r.Size()), round)
		}
		barrier.Run(r.ByPut(), collective.Dissemination)
		sum, size := make([]byte, 8), make([]byte, 8)
		binary.LittleEndian.PutUint64(size, uint64(m.own.IntN(300)))
		r.Pace(&mpi.Pacing{Gaps: []uint32{uint32(m.common.IntN(4)), 2}, Every: -m.common.IntN(2)})
		allreduce.Run(
			r.ByPut().Collective(), mpi.Data(size), mpi.Data(sum), collective.SumInt64,
			collective.Default,
		)
		r.Compute(mpi.Duration(binary.LittleEndian.Uint64(sum)))
	}
}

type medleyRank struct {
	*mpi.Rank
	nics        int // of a host
	nic         rdma.NIC
	memory      []byte
	region      rdma.Region
	own, common *rand.Rand
}

// round puts to the rank a shift above and polls for the rank a shift below.
func (m *medleyRank) round(shift, round int) {
	n := m.Size()
	to, from := (m.Rank.Rank()+shift)%n, (m.Rank.Rank()-shift%n+n)%n
	if m.own.IntN(3) == 0 {
		m.Compute(mpi.Duration(m.own.IntN(2_000_000)))
	}
	var handles []rdma.Handle
	switch size := m.own.IntN(4) * m.own.IntN(400); m.own.IntN(4) {
	case 0:
		handles = append(handles, m.nic.Put(mpi.Size(size), rdma.At(to), round))
	case 1:
		data := make([]byte, 8)
		binary.LittleEndian.PutUint64(data, m.own.Uint64N(1000))
		handles = append(handles, m.nic.Put(mpi.Data(data), m.region.At(to, 8*m.own.IntN(4)), round))
	case 2:
		m.nic.PutDetached(mpi.Size(size), rdma.At(to), round)
	case 3:
		o := mpi.Options{Gap: uint32(m.own.IntN(4)), NIC: m.own.IntN(1 + m.nics)}
		handles = append(handles, m.nic.PutWith(mpi.Size(size), rdma.At(to), round, o))
	}
	for range m.own.IntN(3) {
		handles = append(handles, m.reach(m.own.IntN(n)))
	}
	if m.own.IntN(2) == 0 {
		m.nic.PollFrom(from, round)
	} else {
		m.nic.Poll(round)
	}
	if m.own.IntN(2) == 0 {
		m.Sendrecv(mpi.Size(m.own.IntN(500)), m.Rank.Rank(), 50, mpi.Size(500), m.Rank.Rank(), 50)
	}
	for _, h := range handles {
		m.finish(h)
	}
}

// reach starts an operation on the memory of some rank.
func (m *medleyRank) reach(target int) rdma.Handle {
	word := m.region.At(target, 32+8*m.own.IntN(4))
	switch m.own.IntN(5) {
	case 0:
		return m.nic.Get(mpi.Size(m.own.IntN(900)), rdma.At(target))
	case 1:
		return m.nic.FetchAdd(word, int64(1+m.Rank.Rank()))
	case 2:
		return m.nic.Swap(word, int64(m.Rank.Rank()))
	case 3:
		return m.nic.CompareAndSwap(word, 0, int64(m.Rank.Rank()))
	}
	return m.nic.Get(mpi.Data(make([]byte, 8)), word)
}

// finish completes an operation, and computes for as long as it says.
func (m *medleyRank) finish(h rdma.Handle) {
	found, done := int64(0), false
	if m.own.IntN(2) == 0 {
		for test := 0; !done && test < mostTests; test++ {
			found, done = m.nic.Test(h)
		}
	}
	if !done {
		found = m.nic.Complete(h)
	}
	m.Compute(mpi.Duration(max(0, found) % 1000 * 100))
	m.Compute(mpi.Duration(binary.LittleEndian.Uint64(m.memory[8*m.own.IntN(4):]) % 1000))
}

// TestOperationsRunTheSameOnEveryNetwork holds the fabric, in one block and in several, to the
// oracle: answers of NICs come at the right time, and in the right order.
func TestOperationsRunTheSameOnEveryNetwork(t *testing.T) {
	for seed, spec := range nodetest.Networks(t, 50) {
		nodes := nodetest.NodesFor(spec, seed)
		nodes.Replies = true
		nodes.Overtaking = spec.Graph.NICsPerHost > 1 || spec.Adaptive != nil ||
			spec.Router.Allocation != fabric.CombinedAllocation ||
			spec.Router.Injection != fabric.RoutedVC ||
			seed%2 == 0
		if seed%3 == 0 && spec.Graph.Hosts <= 20 {
			nodetest.Crowd(&nodes, seed)
		}
		if seed%4 == 1 {
			nodetest.Disturb(&nodes, seed)
		}
		nodetest.SameEverywhere(t, spec, nodes, mpi.Programs(medley(seed, spec.Graph.NICsPerHost)), seed)
	}
}
