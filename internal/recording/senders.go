package recording

import (
	"slices"

	"fabricast/internal/plan"
)

// senders tells whose messages hosts send. A message itself only has the number of its rank in a
// communicator of its job.
type senders struct {
	hosts []int32 // by rank, over all jobs
	ranks []int32 // by host: its only rank, or one of these
	first []int32 // by host: first rank of its job
}

const (
	noRank  int32 = -1
	several int32 = -2
)

func newSenders(p *plan.Plan) *senders {
	hosts := p.Fabric.Graph.Hosts
	s := &senders{
		hosts: p.Hosts, ranks: slices.Repeat([]int32{noRank}, hosts), first: make([]int32, hosts),
	}
	for rank, host := range p.Hosts {
		if s.ranks[host] != noRank {
			s.ranks[host] = several
		} else {
			s.ranks[host] = int32(rank)
		}
	}
	for i := range p.Jobs {
		for _, host := range p.Jobs[i].Nodes {
			s.first[host] = int32(p.Jobs[i].First)
		}
	}
	return s
}

// rank returns the rank, over all jobs, of a message from a host, given the number that the message
// has; noRank if it is of traffic, or of a router or NIC, or if the host has several ranks and the
// number is none of theirs.
func (s *senders) rank(host, number int32) int32 {
	if number < 0 {
		return noRank
	}
	only := s.ranks[host]
	switch rank := s.first[host] + number; {
	case only != several:
		return only
	case int(rank) < len(s.hosts) && s.hosts[rank] == host:
		return rank
	}
	return noRank
}

// jobsOf returns the job of each host; nil if the plan has no jobs.
func jobsOf(p *plan.Plan) []int32 {
	if len(p.Jobs) == 0 {
		return nil
	}
	jobs := make([]int32, p.Fabric.Graph.Hosts)
	for i := range p.Jobs {
		for _, host := range p.Jobs[i].Nodes {
			jobs[host] = int32(i)
		}
	}
	return jobs
}
