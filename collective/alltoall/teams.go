package alltoall

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var (
	_ = Algorithms.RegisterWith(100, collective.Info{
		Name: collective.Hierarchical, Overlaps: true,
		Summary: "on each host to leaders, one message for each pair of hosts, and back on each host",
		Options: []collective.Option{steps.LeadersOption(1)},
	}, func(v collective.Values) Func { return inTeams(collective.Hierarchical, v[0]) })
	_ = Algorithms.RegisterWith(110, collective.Info{
		Name: collective.Groups, Overlaps: true, Needs: collective.NeedsGroups,
		Summary: "as hierarchical, with the groups of a dragonfly in place of hosts",
		Options: []collective.Option{steps.LeadersOption(0)},
	}, func(v collective.Values) Func { return inTeams(collective.Groups, v[0]) })
)

// inTeams returns the exchange on two levels, in which the blocks between two teams travel in one
// message (Bienz et al., A locality-aware Bruck allgather, EuroMPI 2022, for the idea of several
// leaders; Kumar et al., Optimization of all-to-all communication on the Blue Gene/L supercomputer,
// ICPP 2008, for the aggregation). Leader i of a team gets all that its team has for the teams whose
// numbers are i modulo the number of leaders, and all that those have for its team. Blocks within a
// team travel by themselves.
func inTeams(a collective.Algorithm, leaders int) Func {
	return func(c collective.Comm, send, recv node.Buf) {
		t := steps.TeamsOf(c, collective.KindAlltoall, a, leaders)
		x := exchanged{
			c: c, t: t, send: send, recv: recv, block: send.Len() / c.Size(), members: t.Teams()[t.Number()],
		}
		collected := t.Collect(x.parcel, x.size(min(t.Place(), t.Leaders()-1)), collective.TagAlltoall)
		var came node.Buf
		if t.Leads() {
			came = x.between(collected)
		}
		x.handOut(came)
		x.within()
	}
}

// exchanged is what a rank knows in an exchange on two levels.
type exchanged struct {
	c          collective.Comm
	t          *steps.Team
	send, recv node.Buf
	block      int
	members    []int32 // of the rank's team
}

// far lists the other teams that a leader deals with.
func (x *exchanged) far(leader int) (list []int) {
	for team := leader; team < len(x.t.Teams()); team += x.t.Leaders() {
		if team != x.t.Number() {
			list = append(list, team)
		}
	}
	return list
}

// size returns how many bytes a rank has for the teams of a leader.
func (x *exchanged) size(leader int) (n int) {
	for _, team := range x.far(leader) {
		n += len(x.t.Teams()[team]) * x.block
	}
	return n
}

// parcel returns what the rank has for the teams of a leader, team by team.
func (x *exchanged) parcel(leader int) node.Buf {
	out := steps.Scratch(x.size(leader), x.send)
	steps.Copied(x.c, out.Len())
	at := 0
	for _, team := range x.far(leader) {
		for _, rank := range x.t.Teams()[team] {
			copy(out.Slice(at, x.block).Bytes(), x.send.Slice(int(rank)*x.block, x.block).Bytes())
			at += x.block
		}
	}
	return out
}

// between exchanges with the leader's other teams what its team has collected. The result holds, for
// each of those, the blocks of their ranks, in each of which are the blocks for all members.
func (x *exchanged) between(collected node.Buf) node.Buf {
	leader, own, m := x.t.Place(), x.t.Number(), len(x.members)
	each := x.size(leader)
	in := steps.Scratch(each*m, x.send)
	var requests []node.Request
	at := 0
	for _, team := range x.far(leader) {
		n := len(x.t.Teams()[team]) * x.block * m
		from := x.t.Leader(team, own%x.t.Leaders())
		requests = append(requests, x.c.Irecv(in.Slice(at, n), from, collective.TagAlltoall))
		at += n
	}
	first := 0
	for _, team := range x.far(leader) {
		n := len(x.t.Teams()[team]) * x.block
		out := steps.Scratch(n*m, x.send)
		steps.Copied(x.c, out.Len())
		for i := range m {
			copy(out.Slice(i*n, n).Bytes(), collected.Slice(i*each+first, n).Bytes())
		}
		first += n
		to := x.t.Leader(team, own%x.t.Leaders())
		requests = append(requests, x.c.Isend(out, to, collective.TagAlltoall))
	}
	x.c.WaitAll(requests)
	return in
}

// handOut gives each member the blocks for it that have come to a leader.
func (x *exchanged) handOut(came node.Buf) {
	var requests []node.Request
	in := make([]node.Buf, x.t.Leaders())
	for i := range in {
		in[i] = steps.Scratch(x.size(i), x.send)
		if i != x.t.Place() && in[i].Len() > 0 {
			requests = append(requests, x.c.Irecv(in[i], int(x.members[i]), collective.TagAlltoall))
		}
	}
	if x.t.Leads() {
		n := x.size(x.t.Place())
		for place, rank := range x.members {
			out := steps.Scratch(n, x.send)
			steps.Copied(x.c, n)
			for i := range n / max(x.block, 1) {
				copy(out.Slice(i*x.block, x.block).Bytes(), came.Slice((i*len(x.members)+place)*x.block, x.block).Bytes())
			}
			switch {
			case place == x.t.Place():
				in[place] = out
			case n > 0:
				requests = append(requests, x.c.Isend(out, int(rank), collective.TagAlltoall))
			}
		}
	}
	x.c.WaitAll(requests)
	for i := range in {
		steps.Copied(x.c, in[i].Len())
		at := 0
		for _, team := range x.far(i) {
			for _, rank := range x.t.Teams()[team] {
				copy(x.recv.Slice(int(rank)*x.block, x.block).Bytes(), in[i].Slice(at, x.block).Bytes())
				at += x.block
			}
		}
	}
}

// within exchanges the blocks of the rank's team.
func (x *exchanged) within() {
	ownBlock(x.c, x.send, x.recv)
	var requests []node.Request
	for _, rank := range x.members {
		if place := int(rank); place != x.c.Rank() {
			requests = append(requests, x.c.Irecv(x.recv.Slice(place*x.block, x.block), place, collective.TagAlltoall))
		}
	}
	for _, rank := range x.members {
		if place := int(rank); place != x.c.Rank() {
			requests = append(requests, x.c.Isend(x.send.Slice(place*x.block, x.block), place, collective.TagAlltoall))
		}
	}
	x.c.WaitAll(requests)
}
