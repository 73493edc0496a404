package broadcast

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var (
	_ = Algorithms.RegisterWith(130, collective.Info{
		Name: collective.Hierarchical, Overlaps: true,
		Summary: "between hosts down a binomial tree, then on each host",
		Options: []collective.Option{steps.LeadersOption(1)},
	}, func(v collective.Values) Func { return inTeams(collective.Hierarchical, v[0]) })
	_ = Algorithms.RegisterWith(140, collective.Info{
		Name: collective.Groups, Overlaps: true, Needs: collective.NeedsGroups,
		Summary: "as hierarchical, with the groups of a dragonfly in place of hosts",
		Options: []collective.Option{steps.LeadersOption(1)},
	}, func(v collective.Values) Func { return inTeams(collective.Groups, v[0]) })
)

// inTeams returns the broadcast on two levels (Karonis et al., Exploiting hierarchy in parallel
// computer networks to optimize collective operation performance, IPDPS 2000; on dragonflies Dorier
// et al., Evaluation of topology-aware broadcast algorithms for dragonfly networks, CLUSTER 2016).
// The root, which leads its team, divides the message among the other leaders. They send their shares
// down binomial trees of the same leaders of other teams, and then to all ranks of their teams.
func inTeams(a collective.Algorithm, leaders int) Func {
	return func(c collective.Comm, buf node.Buf, root int) {
		t, home := steps.TeamsFrom(c, collective.KindBroadcast, a, leaders, root)
		share := t.Share(nil)
		if t.Number() == home {
			t.Deal(buf, share, collective.TagBroadcast)
		}
		if t.Leads() {
			Binomial(t.Others(), share(buf, t.Place()), home)
		}
		t.Spread(buf, share, collective.TagBroadcast)
	}
}
