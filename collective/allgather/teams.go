package allgather

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var (
	_ = Algorithms.RegisterWith(90, collective.Info{
		Name: collective.Hierarchical, Overlaps: true,
		Summary: "on each host to leaders, on a ring of hosts, and back on each host",
		Options: []collective.Option{steps.LeadersOption(1)},
	}, func(v collective.Values) Func { return inTeams(collective.Hierarchical, v[0]) })
	_ = Algorithms.RegisterWith(100, collective.Info{
		Name: collective.Groups, Overlaps: true, Needs: collective.NeedsGroups,
		Summary: "as hierarchical, with the groups of a dragonfly in place of hosts",
		Options: []collective.Option{steps.LeadersOption(0)},
	}, func(v collective.Values) Func { return inTeams(collective.Groups, v[0]) })
)

// inTeams returns the allgather on two levels (Träff, Efficient allgather for regular SMP-clusters,
// EuroPVM/MPI 2006; with several leaders Kandalla et al., Designing multi-leader-based allgather
// algorithms for multi-core clusters, IPDPS 2009). Each leader collects its share of the blocks of
// its team, gets those of other teams on a ring, and sends all to the ranks of its team.
func inTeams(a collective.Algorithm, leaders int) Func {
	return func(c collective.Comm, send, recv node.Buf) {
		t := steps.TeamsOf(c, collective.KindAllgather, a, leaders)
		share := t.Share(nil)
		// shares holds the share of a leader of all blocks, team by team.
		first, sizes, shares := make([]int, len(t.Teams())+1), make([]int, t.Leaders()), make([]node.Buf, t.Leaders())
		for i, m := range t.Teams() {
			first[i+1] = first[i] + len(m)
		}
		for i := range shares {
			sizes[i] = share(send, i).Len()
			shares[i] = steps.Scratch(sizes[i]*c.Size(), send)
		}
		mine := t.Collect(func(i int) node.Buf { return share(send, i) }, sizes[min(t.Place(), t.Leaders()-1)], collective.TagAllgather)
		if t.Leads() {
			n, held := sizes[t.Place()], shares[t.Place()]
			bundle := func(team int) node.Buf { return steps.Part(held, first[team]*n, first[team+1]*n) }
			copy(bundle(t.Number()).Bytes(), mine.Bytes())
			t.Gathered(bundle, collective.TagAllgather)
		}
		t.Spread(node.Buf{}, func(_ node.Buf, i int) node.Buf { return shares[i] }, collective.TagAllgather)
		for i, held := range shares {
			place := 0
			for _, m := range t.Teams() {
				for _, rank := range m {
					copy(share(recv.Slice(int(rank)*send.Len(), send.Len()), i).Bytes(), held.Slice(place*sizes[i], sizes[i]).Bytes())
					place++
				}
			}
		}
		steps.Copied(c, recv.Len())
	}
}
