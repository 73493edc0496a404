package stage

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/model"
)

// arbiter ranks the requests of one instant in a block, on the general path.
type arbiter struct {
	rank     func(*model.Request) model.Rank // see ArbiterKind
	Memory   model.GrantMemory
	byAsking bool
	byTurn   bool
	messages *core.MessageTable // for what rank is told of a packet
	request  model.Request      // what it is told
	times    core.Array[int64]  // ps+1, 0 = never: grants by place and input, with GrantTimes
	first    uint32             // of times, of the router being visited
}

// past is what a resource remembers of the requesting input's earlier grants. Only the fields of
// the arbiter's GrantMemory are set.
type past struct {
	turn    int64
	granted int64 // ps+1; 0 = never
	place   int64 // tells places apart whose requests are ordered together
}

func newArbiter(b *nic.NICs, times core.Array[int64]) arbiter {
	k := b.Spec.Router.ArbiterKind()
	return arbiter{
		rank: k.Rank, Memory: k.Memory, byAsking: k.ByAsking(), byTurn: k.ByTurn(),
		messages: &b.Messages, times: times,
	}
}

// order returns the rank of a packet that has been asking since the time asked (ps).
func (a *arbiter) order(p *Packet, asked int64, h past) model.Rank {
	switch {
	case a.rank != nil:
		return a.ask(p, asked, h)
	case a.Memory == model.LastGrant:
		return model.Rank{h.turn, h.place}
	case a.Memory == model.GrantTimes:
		return model.Rank{h.granted, h.place}
	}
	return model.Rank{asked}
}

// ask calls the arbiter's Rank function for a packet and returns its result.
func (a *arbiter) ask(p *Packet, asked int64, h past) model.Rank {
	m := a.messages.At(p.Msg)
	a.request = model.Request{
		Asked: asked, Ready: p.Ready, Flits: int64(p.Flits & core.FlitMask),
		Source: m.Src, Destination: m.Dst, Bytes: m.Size, Posted: m.Post, Since: m.Since(),
		Class: m.Class,
		Turn:  h.turn, Granted: h.granted - 1,
	}
	return a.rank(&a.request)
}

// granted returns when a resource was last granted to an input (ps+1; 0: never). times is the index
// of the resource's first element.
func (a *arbiter) granted(times, input uint32) int64 { return *a.times.At(a.first + times + input) }

// Grant records that a resource is granted to an input at the time now (ps).
func (a *arbiter) Grant(times, input uint32, now int64) {
	*a.times.At(a.first + times + input) = now + 1
}
