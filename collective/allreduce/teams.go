package allreduce

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var (
	_ = Algorithms.RegisterWith(120, collective.Info{
		Name: collective.Hierarchical, CommutativeOnly: true, Overlaps: true, Sized: true,
		Summary: "on each host to leaders, between hosts by rabenseifner, and back on each host",
		Options: []collective.Option{steps.LeadersOption(1)},
	}, func(v collective.Values) Func { return inTeams(collective.Hierarchical, v[0]) })
	_ = Algorithms.RegisterWith(130, collective.Info{
		Name: collective.Groups, CommutativeOnly: true, Overlaps: true, Sized: true, Needs: collective.NeedsGroups,
		Summary: "as hierarchical, with the groups of a dragonfly in place of hosts",
		Options: []collective.Option{steps.LeadersOption(0)},
	}, func(v collective.Values) Func { return inTeams(collective.Groups, v[0]) })
)

// short is the largest size of a share in bytes for which leaders use recursive doubling.
const short = 2 << 10

// inTeams returns the allreduce on two levels with several leaders of each team (Bayatpour et al.,
// Scalable reduction collectives with data partitioning-based multi-leader design, SC 2017; on
// dragonflies, where groups are the teams, so that the links between groups carry each byte once,
// Feng et al., Optimized MPI collective algorithms for dragonfly topology, ICS 2022). The buffer is
// divided among the leaders. Every rank sends each leader of its team that leader's share. Those of
// the same share combine it by recursive doubling up to 2 KiB, and by Rabenseifner's algorithm
// above, and send it to all ranks of their teams. With m ranks and k leaders in each of t teams, each
// rank but a leader sends k messages, and a leader k-1, m-1 and those to other teams.
func inTeams(a collective.Algorithm, leaders int) Func {
	return func(c collective.Comm, recv node.Buf, op *collective.Op) {
		t := steps.TeamsOf(c, collective.KindAllreduce, a, leaders)
		share := t.Share(op)
		t.Reduce(recv, share, op, collective.TagAllreduce)
		if t.Leads() {
			between := Rabenseifner
			mine := share(recv, t.Place())
			if mine.Len() <= short {
				between = RecursiveDoubling
			}
			between(t.Others(), mine, op)
		}
		t.Spread(recv, share, collective.TagAllreduce)
	}
}
