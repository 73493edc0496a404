package stage

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/model"
)

// arbiter ranks simultaneous requests in a block, on the general path.
type arbiter struct {
	rank     func(*model.Request) model.Rank // computes the rank of a request, see ArbiterKind
	Memory   model.GrantMemory
	byAsking bool
	byTurn   bool
	messages *core.MessageTable // messages of the requesting packets
	request  model.Request      // argument of rank, reused for each call
	times    core.Array[int64]  // times of grants (ps+1; 0: never) by place and input, with GrantTimes
	first    uint32             // offset of the active router's grants in `times`
}

// past holds what a resource remembers of the requesting input's earlier grants. Only the fields
// for the arbiter's GrantMemory are set.
type past struct {
	turn    int64
	granted int64 // time of the last grant, plus 1 ps; 0: never
	place   int64 // distinguishes resources whose requests are ranked together
}

func newArbiter(b *nic.NICs, times core.Array[int64]) arbiter {
	k := b.Spec.Router.ArbiterKind()
	plain := !b.Classed
	return arbiter{
		rank: k.Rank, Memory: k.Memory, byAsking: plain && k.ByAsking(), byTurn: plain && k.ByTurn(),
		messages: &b.Messages, times: times,
	}
}

// order returns the rank of a packet whose request started at the time asked (ps).
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

// granted returns the time at which a resource was last granted to an input (ps+1; 0: never). times
// is the index of the resource's first element.
func (a *arbiter) granted(times, input uint32) int64 { return *a.times.At(a.first + times + input) }

// Grant records that a resource has been granted to an input at the time now (ps).
func (a *arbiter) Grant(times, input uint32, now int64) {
	*a.times.At(a.first + times + input) = now + 1
}
