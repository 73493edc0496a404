package recording

import (
	"testing"

	"fabricast/internal/plan"
	"fabricast/topology"
)

// TestSenders: the rank that sends a message is known by its host, whatever number the rank has in a
// communicator or in its job.
func TestSenders(t *testing.T) {
	p := &plan.Plan{Hosts: []int32{2, 0, 3, 3}, Jobs: []plan.Job{
		{First: 0, Nodes: []int32{2, 0}}, {First: 2, Nodes: []int32{1}}, {First: 2, Nodes: []int32{3}},
	}}
	p.Fabric.Graph = &topology.Graph{Hosts: 4}
	s := newSenders(p)
	for _, c := range []struct{ host, number, rank int32 }{
		{2, 0, 0}, {2, 7, 0}, {0, 0, 1}, // alone on their hosts
		{2, -1, noRank}, {3, -1, noRank}, // of a router
		{1, 0, noRank},       // traffic
		{3, 0, 2}, {3, 1, 3}, // of a job that begins with rank 2
		{3, 5, noRank},
	} {
		if got := s.rank(c.host, c.number); got != c.rank {
			t.Errorf("number %d at host %d is rank %d, expected %d", c.number, c.host, got, c.rank)
		}
	}
	for host, want := range []int32{0, 1, 0, 2} {
		if got := jobsOf(p)[host]; got != want {
			t.Errorf("host %d is of job %d, expected %d", host, got, want)
		}
	}
}
