package barrier

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var (
	_ = Algorithms.Register(70, collective.Info{
		Name: collective.Hierarchical, Overlaps: true,
		Summary: "on each host to its first rank, dissemination between hosts, and back",
	}, func(c collective.Comm) { inTeams(c, collective.Hierarchical) })
	_ = Algorithms.Register(80, collective.Info{
		Name: collective.Groups, Overlaps: true, Needs: collective.NeedsGroups,
		Summary: "as hierarchical, with the groups of a dragonfly in place of hosts",
	}, func(c collective.Comm) { inTeams(c, collective.Groups) })
)

// inTeams is the barrier on two levels (Karonis et al., Exploiting hierarchy in parallel computer
// networks to optimize collective operation performance, IPDPS 2000): the ranks of a team signal its
// first rank, those meet by dissemination, and release their teams. With t teams there are
// 2 (p - t) + t ceil(log2 t) empty messages.
func inTeams(c collective.Comm, a collective.Algorithm) {
	t := steps.TeamsOf(c, collective.KindBarrier, a, 1)
	nothing := func(node.Buf, int) node.Buf { return node.Buf{} }
	t.Reduce(node.Buf{}, nothing, nil, collective.TagBarrier)
	if t.Leads() {
		Dissemination(t.Others())
	}
	t.Spread(node.Buf{}, nothing, collective.TagBarrier)
}
