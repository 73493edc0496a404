package alltoall

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.Register(90, collective.Info{
	Name: collective.Bine, Overlaps: true, PowerOfTwo: true,
	Summary: "log2 p rounds of p/2 blocks each, at distances 1, 1, 3, 5, 11",
}, Bine)

// Bine is the exchange for short blocks of De Sensi et al. (Bine Trees: Enhancing Collective
// Operations by Optimizing Communication Locality, SC 2025). Blocks travel as the chunks of
// reducescatter.Bine: in each round, a rank sends the blocks of all ranks that it has for the ranks
// that its partner can reach. Each rank sends log2 p messages of p/2 blocks. p must be a power of
// two.
func Bine(c collective.Comm, send, recv node.Buf) {
	p, rank := c.Size(), c.Rank()
	block := send.Len() / p
	b := partners.NewSwinging([]int{p}, 0, false)
	held := map[int32][]byte{} // by destination: the blocks of the ranks in sources
	if send.HasData() {
		for to := range p {
			held[int32(to)] = append([]byte{}, send.Slice(to*block, block).Bytes()...)
		}
	}
	sources := []int{rank}
	out, in := steps.Scratch(p/2*block, send), steps.Scratch(p/2*block, send)
	for s := range b.Count() {
		round := b.Round(s, rank)
		steps.Copied(c, out.Len())
		at := 0
		for _, to := range round.Send {
			if send.HasData() {
				at += copy(out.Bytes()[at:], held[to])
				delete(held, to)
			}
		}
		c.Sendrecv(out, round.To, collective.TagAlltoall, in, round.From, collective.TagAlltoall)
		steps.Copied(c, in.Len())
		each := len(sources) * block
		for i, to := range round.Recv {
			if send.HasData() {
				held[to] = append(held[to], in.Slice(i*each, each).Bytes()...)
			}
		}
		sources = append(sources, cameTo(b, s, round.From)...)
	}
	steps.Copied(c, p*block)
	for i, from := range sources {
		if send.HasData() {
			copy(recv.Slice(from*block, block).Bytes(), held[int32(rank)][i*block:])
		}
	}
}

// cameTo lists the ranks whose blocks a rank has before a step, in the order in which they came.
func cameTo(b *partners.Swinging, step, rank int) []int {
	list := []int{rank}
	for s := range step {
		list = append(list, cameTo(b, s, b.From(s, rank))...)
	}
	return list
}
