package steps

import (
	"slices"

	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/node"
)

// Team is the calling rank's place among teams of ranks, such as those of each host, for collectives
// on two levels. The first ranks of a team lead it: each deals with a share of what its team has to do
// with others. The leaders of the same share in all teams are a communicator.
type Team struct {
	c       collective.Comm
	teams   [][]int32 // the ranks of each team, leaders first
	number  int       // of the team
	place   int       // in the team
	leaders int       // of each team
}

// LeadersOption is the option for the number of leaders of a team; 0: as many as the smallest team
// has ranks.
func LeadersOption(n int) collective.Option {
	return collective.Option{
		Name: "leaders", Default: n,
		Summary: "ranks of a team that exchange with other teams, each a share; 0: as many as the smallest team has",
	}
}

// TeamsOf returns the teams of an algorithm: those of the hosts or, if it is collective.Groups, of
// the groups. It panics if the network has no groups.
func TeamsOf(c collective.Comm, k collective.Kind, a collective.Algorithm, leaders int) *Team {
	t, _ := teamsOf(c, k, a, leaders)
	return t
}

func teamsOf(
	c collective.Comm, k collective.Kind, a collective.Algorithm, leaders int,
) (*Team, *collective.Teams) {
	l := collective.LayoutOf(c)
	if a == collective.Groups {
		l.Require(k, a, collective.NeedsGroups)
	}
	teams := l.TeamsOf(a)
	t := &Team{c: c, teams: teams.Members, leaders: teams.Least}
	t.number, t.place = teams.Of(c.Rank())
	if leaders > 0 {
		t.leaders = min(leaders, t.leaders)
	}
	return t, teams
}

// TeamsFrom is like TeamsOf for a collective with a root, which is the first leader of its team. It
// also returns the number of that team.
func TeamsFrom(
	c collective.Comm, k collective.Kind, a collective.Algorithm, leaders, root int,
) (t *Team, home int) {
	t, teams := teamsOf(c, k, a, leaders)
	home, at := teams.Of(root)
	t.teams = slices.Clone(t.teams)
	t.teams[home] = slices.Concat(t.teams[home][at:], t.teams[home][:at])
	if t.number == home {
		t.place = slices.Index(t.teams[home], int32(c.Rank()))
	}
	return t, home
}

// Leaders returns the number of leaders of each team.
func (t *Team) Leaders() int { return t.leaders }

// Leads reports whether the rank is a leader.
func (t *Team) Leads() bool { return t.place < t.leaders }

// Place returns the rank's place in its team. Leaders come first; a leader's share has its number.
func (t *Team) Place() int { return t.place }

// Number returns the number of the rank's team, and Teams those of all.
func (t *Team) Number() int { return t.number }

// Teams returns the ranks of each team.
func (t *Team) Teams() [][]int32 { return t.teams }

// members returns the ranks of the rank's team.
func (t *Team) members() []int32 { return t.teams[t.number] }

// Others returns the communicator of the leaders of the rank's share, one of each team. The rank must
// be a leader.
func (t *Team) Others() collective.Comm {
	ranks := make([]int32, len(t.teams))
	for i, m := range t.teams {
		ranks[i] = m[t.place]
	}
	return Sub(t.c, ranks, t.number)
}

// Leader returns a leader of a team.
func (t *Team) Leader(team, share int) int { return int(t.teams[team][share]) }

// Reduce combines the shares of acc of all ranks of the team at their leaders, in the order of ranks.
// share returns a part of a buffer.
func (t *Team) Reduce(acc node.Buf, share func(b node.Buf, i int) node.Buf, op *collective.Op, tag int) {
	requests := t.toLeaders(acc, share, tag)
	if t.Leads() {
		mine := share(acc, t.place)
		in := Scratch(mine.Len(), mine)
		for place, rank := range t.members() {
			if place != t.place {
				t.c.Recv(in, int(rank), tag)
				Combine(t.c, op, mine, in, true)
			}
		}
	}
	t.c.WaitAll(requests)
}

// toLeaders starts the sends of a buffer's shares to the other leaders of the team. What they are sent
// from may change at once.
func (t *Team) toLeaders(b node.Buf, share func(b node.Buf, i int) node.Buf, tag int) (requests []node.Request) {
	for i := range t.leaders {
		if i != t.place {
			requests = append(requests, t.c.Isend(share(b, i), int(t.members()[i]), tag))
		}
	}
	return requests
}

// Spread sends the leaders' shares of a buffer to all ranks of the team.
func (t *Team) Spread(b node.Buf, share func(b node.Buf, i int) node.Buf, tag int) {
	var requests []node.Request
	for i := range t.leaders {
		if i != t.place {
			requests = append(requests, t.c.Irecv(share(b, i), int(t.members()[i]), tag))
		}
	}
	if t.Leads() {
		for place, rank := range t.members() {
			if place != t.place {
				requests = append(requests, t.c.Isend(share(b, t.place), int(rank), tag))
			}
		}
	}
	t.c.WaitAll(requests)
}

// Collect gives each leader the parcels of all ranks of the team, in the order of ranks. parcel returns
// what a leader gets of the calling rank; nothing is sent if it is empty. size is that of a parcel for
// the calling rank's own share, if it is a leader.
func (t *Team) Collect(parcel func(share int) node.Buf, size int, tag int) node.Buf {
	var requests []node.Request
	var all node.Buf
	if t.Leads() {
		all = Scratch(size*len(t.members()), parcel(t.place))
		for place, rank := range t.members() {
			part := all.Slice(place*size, size)
			switch {
			case size == 0:
			case place != t.place:
				requests = append(requests, t.c.Irecv(part, int(rank), tag))
			default:
				Move(t.c, part, parcel(t.place))
			}
		}
	}
	for i := range t.leaders {
		if i == t.place {
			continue
		}
		if part := parcel(i); part.Len() > 0 {
			requests = append(requests, t.c.Isend(part, int(t.members()[i]), tag))
		}
	}
	t.c.WaitAll(requests)
	return all
}

// Share returns a function that divides a buffer among leaders, in whole elements.
func (t *Team) Share(op *collective.Op) func(b node.Buf, i int) node.Buf {
	return func(b node.Buf, i int) node.Buf { return Chunks(op, b, i, i+1, t.leaders) }
}

// Gathered collects one bundle of each team at all leaders of a share, on a ring. bundle returns where
// the bundle of a team is.
func (t *Team) Gathered(bundle func(team int) node.Buf, tag int) {
	o := t.Others()
	n, me := o.Size(), o.Rank()
	for k := range n - 1 {
		have := (me - k + n) % n
		o.Sendrecv(bundle(have), partners.Above(me, n), tag, bundle(partners.Below(have, n)), partners.Below(me, n), tag)
	}
}

// Deal sends the shares of a buffer from the first leader of the team to the others.
func (t *Team) Deal(b node.Buf, share func(b node.Buf, i int) node.Buf, tag int) {
	switch {
	case t.place == 0:
		t.c.WaitAll(t.toLeaders(b, share, tag))
	case t.Leads():
		t.c.Recv(share(b, t.place), int(t.members()[0]), tag)
	}
}
