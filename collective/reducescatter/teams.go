package reducescatter

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var (
	_ = Algorithms.RegisterWith(80, collective.Info{
		Name: collective.Hierarchical, CommutativeOnly: true, Overlaps: true,
		Summary: "on each host to leaders, pairwise between hosts, and back on each host",
		Options: []collective.Option{steps.LeadersOption(1)},
	}, func(v collective.Values) Func { return inTeams(collective.Hierarchical, v[0]) })
	_ = Algorithms.RegisterWith(90, collective.Info{
		Name: collective.Groups, CommutativeOnly: true, Overlaps: true, Needs: collective.NeedsGroups,
		Summary: "as hierarchical, with the groups of a dragonfly in place of hosts",
		Options: []collective.Option{steps.LeadersOption(0)},
	}, func(v collective.Values) Func { return inTeams(collective.Groups, v[0]) })
)

// inTeams returns the reduce-scatter on two levels, as the first half of the allreduce of the same
// name: each leader combines its share of all blocks of its team's operands, then exchanges them
// pairwise with the leaders of the same share, and sends the shares of the results to their ranks.
func inTeams(a collective.Algorithm, leaders int) Func {
	return func(c collective.Comm, send, recv node.Buf, op *collective.Op) {
		t := steps.TeamsOf(c, collective.KindReduceScatter, a, leaders)
		part := t.Share(op)
		r := reduced{t: t, part: part, block: recv.Len(), c: c, op: op}
		packed := make([]node.Buf, t.Leaders())
		for i := range packed {
			packed[i] = r.pack(send, i)
		}
		share := func(_ node.Buf, i int) node.Buf { return packed[i] }
		t.Reduce(send, share, op, collective.TagReduceScatter)
		if t.Leads() {
			r.exchange(packed[t.Place()])
		}
		r.handOut(packed, recv)
	}
}

// reduced is what a rank knows in a reduce-scatter on two levels.
type reduced struct {
	t     *steps.Team
	part  func(b node.Buf, i int) node.Buf
	block int
	c     collective.Comm
	op    *collective.Op
}

// size returns the size of a share of a block.
func (r *reduced) size(share int) int { return r.part(node.Size(r.block), share).Len() }

// pack returns a share of all blocks, team by team.
func (r *reduced) pack(send node.Buf, share int) node.Buf {
	n := r.size(share)
	out := steps.Scratch(n*r.c.Size(), send)
	steps.Copied(r.c, out.Len())
	at := 0
	for _, m := range r.t.Teams() {
		for _, rank := range m {
			copy(out.Slice(at, n).Bytes(), r.part(send.Slice(int(rank)*r.block, r.block), share).Bytes())
			at += n
		}
	}
	return out
}

// bundle returns the blocks of a team in what pack has returned.
func (r *reduced) bundle(packed node.Buf, team int) node.Buf {
	first := 0
	for _, m := range r.t.Teams()[:team] {
		first += len(m)
	}
	n := r.size(r.t.Place())
	return packed.Slice(first*n, len(r.t.Teams()[team])*n)
}

// exchange combines the blocks of the rank's team in all leaders' shares.
func (r *reduced) exchange(packed node.Buf) {
	o := r.t.Others()
	n, me := o.Size(), o.Rank()
	mine := r.bundle(packed, me)
	in := steps.Scratch(mine.Len(), mine)
	for k := 1; k < n; k++ {
		to, from := (me+k)%n, (me-k+n)%n
		o.Sendrecv(r.bundle(packed, to), to, collective.TagReduceScatter, in, from, collective.TagReduceScatter)
		steps.Combine(r.c, r.op, mine, in, true)
	}
}

// handOut gives each rank of the team the shares of its block.
func (r *reduced) handOut(packed []node.Buf, recv node.Buf) {
	members := r.t.Teams()[r.t.Number()]
	var requests []node.Request
	for i := range packed {
		if i != r.t.Place() {
			requests = append(requests, r.c.Irecv(r.part(recv, i), int(members[i]), collective.TagReduceScatter))
		}
	}
	if r.t.Leads() {
		own := r.bundle(packed[r.t.Place()], r.t.Number())
		n := r.size(r.t.Place())
		for place, rank := range members {
			if result := own.Slice(place*n, n); place == r.t.Place() {
				steps.Move(r.c, r.part(recv, place), result)
			} else {
				requests = append(requests, r.c.Isend(result, int(rank), collective.TagReduceScatter))
			}
		}
	}
	r.c.WaitAll(requests)
}
