package fabric

// arbiter ranks the requests of one instant in a block, on the general path.
type arbiter struct {
	rank     func(*Request) Rank // see ArbiterKind
	memory   GrantMemory
	byAsking bool
	byTurn   bool
	messages *messageTable // for what rank is told of a packet
	request  Request       // what it is told
	times    array[int64]  // ps+1, 0 = never: grants by place and input, with GrantTimes
	first    uint32        // of times, of the router being visited
}

// past is what a resource remembers of the requesting input's earlier grants. Only the fields of
// the arbiter's GrantMemory are set.
type past struct {
	turn    int64
	granted int64 // ps+1; 0 = never
	place   int64 // tells places apart whose requests are ordered together
}

func newArbiter(b *nics, times array[int64]) arbiter {
	k := b.spec.Router.arbiterKind()
	return arbiter{
		rank: k.Rank, memory: k.Memory, byAsking: k.byAsking(), byTurn: k.byTurn(),
		messages: &b.messages, times: times,
	}
}

// order returns the rank of a packet that has been asking since the time asked (ps).
func (a *arbiter) order(p *parcel, asked int64, h past) Rank {
	switch {
	case a.rank != nil:
		return a.ask(p, asked, h)
	case a.memory == LastGrant:
		return Rank{h.turn, h.place}
	case a.memory == GrantTimes:
		return Rank{h.granted, h.place}
	}
	return Rank{asked}
}

// ask calls the arbiter's Rank function for a packet and returns its result.
func (a *arbiter) ask(p *parcel, asked int64, h past) Rank {
	m := a.messages.at(p.msg)
	a.request = Request{
		Asked: asked, Ready: p.ready, Flits: int64(p.flits & flitMask),
		Source: m.Src, Destination: m.Dst, Bytes: m.Size, Posted: m.Post, Since: m.Since(),
		Class: m.Class,
		Turn:  h.turn, Granted: h.granted - 1,
	}
	return a.rank(&a.request)
}

// granted returns when a resource was last granted to an input (ps+1; 0: never). times is the index
// of the resource's first element.
func (a *arbiter) granted(times, input uint32) int64 { return *a.times.at(a.first + times + input) }

// grant records that a resource is granted to an input at the time now (ps).
func (a *arbiter) grant(times, input uint32, now int64) {
	*a.times.at(a.first + times + input) = now + 1
}
