package switched

import (
	"fabricast/fabric/internal/stage"
)

// pass tries to start all contenders in arbitration order. Usually there are few, and if there are
// many, the first start leaves the others without a port. So pass repeatedly searches for the first
// of the remaining contenders instead of sorting them.
func (g *Routers) pass() {
	switch {
	case g.Contest.Contended:
		g.passVCs()
		return
	case len(g.Contest.Rounds) > 0:
		g.passRounds()
		return
	}
	list := g.Contest.Requesters
	g.Contest.Requesters = list[:0]
	if g.Adaptive {
		g.Contest.Contending.Empty(g.Contest.Words)
	}
	if len(list) == 1 {
		g.settle(&list[0])
		return
	}
	g.Contest.Rank(list)
	for len(list) > 0 {
		first := 0
		for i := 1; i < len(list); i++ {
			if list[i].Before(&list[first]) {
				first = i
			}
		}
		c := list[first]
		list[first] = list[len(list)-1]
		list = list[:len(list)-1]
		if !g.Adaptive {
			g.try(&c)
			list = g.Contest.Sift(list)
		} else if g.choose(uint32(c.Input), c.Packet) {
			list = g.Contest.SiftAdaptive(list)
		}
	}
}

// settle tries to start the only contender.
func (g *Routers) settle(c *stage.Requester) {
	if g.Adaptive {
		g.choose(uint32(c.Input), c.Packet)
	} else {
		g.try(c)
	}
}

// try starts a packet with a fixed route, whose input and output are free, if it can start.
func (g *Routers) try(c *stage.Requester) {
	out := uint32(c.Out)
	o := g.Out.At(out)
	p := g.Pool.Packets.At(c.Packet)
	if !g.Out.HasSpace(out, g.Out.Flow.Asks(uint32(c.Input), p)) {
		o.Owner = c.Input + 1
		g.Out.Holds.Set(out)
		if g.Observer != nil {
			g.Observer.Held(g.R.FirstVC + out)
		}
		g.Out.Want(out, o)
		return
	}
	if o.Owner != 0 {
		o.Owner = 0
		g.Out.Holds.Clear(out)
	}
	g.start(uint32(c.Input), c.Packet, p, o)
}

// passRounds is like pass, for ports with a round robin in progress.
func (g *Routers) passRounds() {
	for i := range g.Contest.Rounds {
		g.Contest.Begin(&g.Contest.Rounds[i])
	}
	list := g.Contest.Requesters
	g.Contest.Requesters = list[:0]
	g.Contest.Rank(list)
	for {
		list = g.Contest.Sift(list)
		var first *stage.Requester
		var from *stage.Round
		for i := range list {
			if first == nil || list[i].Before(first) {
				first = &list[i]
			}
		}
		for i := range g.Contest.Rounds {
			if r := &g.Contest.Rounds[i]; g.Contest.Find(r) && (first == nil || r.First.Before(first)) {
				first, from = &r.First, r
			}
		}
		if first == nil {
			break
		}
		c := *first
		if from != nil { // it starts and the port is busy, or it holds the output
			from.Open &^= 1 << (uint32(c.Out) - from.Port*g.NumVCs)
		} else {
			*first = list[len(list)-1]
			list = list[:len(list)-1]
		}
		g.try(&c)
	}
	g.Contest.Rounds = g.Contest.Rounds[:0]
	g.Contest.InRounds.Empty(g.Contest.Words)
}

// passVCs is like pass, for adaptive routing with input queues.
func (g *Routers) passVCs() {
	g.Contest.Contended = false
	if g.Loader.ahead {
		g.Loader.loadContenders(g.Contest.Contending)
	}
	if g.Contest.Order.Kept {
		g.passInOrder()
	} else {
		g.passByRank()
	}
	g.Contest.Contending.Empty(g.Contest.Words)
}

// passInOrder implements passVCs for arbiters that grant in the order of first requests.
func (g *Routers) passInOrder() {
	o := &g.Contest.Order
	o.LineUp(g.Contest.Contending, g.Crossbar.Inputs, g.Contest.Words)
	for index := o.Next(); index != stage.AnyOutput; index = o.Next() {
		if g.Crossbar.Inputs.Has(index) && g.Contest.MayStart(index, stage.FirstPacket) {
			g.choose(index, g.In.FirstIn(index))
		}
	}
}

// passByRank implements passVCs for other arbitration orders, which may change with each start.
func (g *Routers) passByRank() {
	for {
		index := g.Contest.FirstByKey()
		if index == stage.AnyOutput {
			break
		}
		g.Contest.Contending.Clear(index)
		if g.Contest.MayStart(index, stage.FirstPacket) && g.choose(index, g.In.FirstIn(index)) {
			g.Contest.SiftVCs(g.Waits.WaitersFor(g.Port(g.Crossbar.Taken)))
		}
	}
}
