package fabric

// pass lets all contenders try to start, in the arbitration order. Usually there are few; if there
// are many, the first start leaves the others without a port. So pass searches for the minimum
// repeatedly among the remaining ones, instead of sorting.
func (g *general) pass() {
	switch {
	case g.contest.contended:
		g.passSlots()
		return
	case len(g.contest.rounds) > 0:
		g.passRounds()
		return
	}
	list := g.contest.contenders
	g.contest.contenders = list[:0]
	if g.adaptive {
		g.contest.contending.empty(g.contest.words)
	}
	if len(list) == 1 {
		g.settle(&list[0])
		return
	}
	g.contest.rank(list)
	for len(list) > 0 {
		first := 0
		for i := 1; i < len(list); i++ {
			if list[i].before(&list[first]) {
				first = i
			}
		}
		c := list[first]
		list[first] = list[len(list)-1]
		list = list[:len(list)-1]
		if !g.adaptive {
			g.try(&c)
			list = g.contest.sift(list)
		} else if g.choose(uint32(c.slot), c.parcel) {
			list = g.contest.siftAdaptive(list)
		}
	}
}

// settle lets the only contender try to start.
func (g *general) settle(c *contender) {
	if g.adaptive {
		g.choose(uint32(c.slot), c.parcel)
	} else {
		g.try(c)
	}
}

// try starts a packet with a fixed route, whose input and output are free, if the packet may start.
func (g *general) try(c *contender) {
	out := uint32(c.out)
	o := g.out.at(out)
	p := g.pool.parcels.at(c.parcel)
	if !g.out.hasSpace(out, g.out.flow.asks(uint32(c.slot), p)) {
		o.holder = c.slot + 1
		g.out.holds.set(out)
		if g.observer != nil {
			g.observer.held(g.r.lanes + out)
		}
		g.out.want(out, o)
		return
	}
	if o.holder != 0 {
		o.holder = 0
		g.out.holds.clear(out)
	}
	g.start(uint32(c.slot), c.parcel, p, o)
}

// passRounds does what pass does, for ports with an open round robin.
func (g *general) passRounds() {
	for i := range g.contest.rounds {
		g.contest.begin(&g.contest.rounds[i])
	}
	list := g.contest.contenders
	g.contest.contenders = list[:0]
	g.contest.rank(list)
	for {
		list = g.contest.sift(list)
		var first *contender
		var from *round
		for i := range list {
			if first == nil || list[i].before(first) {
				first = &list[i]
			}
		}
		for i := range g.contest.rounds {
			if r := &g.contest.rounds[i]; g.contest.find(r) && (first == nil || r.first.before(first)) {
				first, from = &r.first, r
			}
		}
		if first == nil {
			break
		}
		c := *first
		if from != nil { // it starts, and the port is busy, or it holds the output
			from.open &^= 1 << (uint32(c.out) - from.port*g.vcs)
		} else {
			*first = list[len(list)-1]
			list = list[:len(list)-1]
		}
		g.try(&c)
	}
	g.contest.rounds = g.contest.rounds[:0]
	g.contest.inRounds.empty(g.contest.words)
}

// passSlots does what pass does, for adaptive routing with input queues.
func (g *general) passSlots() {
	g.contest.contended = false
	if g.loader.ahead {
		g.loader.loadContenders(g.contest.contending)
	}
	if g.contest.order.kept {
		g.passInOrder()
	} else {
		g.passByRank()
	}
	g.contest.contending.empty(g.contest.words)
}

// passInOrder implements passSlots for the order in which packets have asked.
func (g *general) passInOrder() {
	o := &g.contest.order
	o.lineUp(g.contest.contending, g.crossbar.inputs, g.contest.words)
	for slot := o.next(); slot != anyOutput; slot = o.next() {
		if g.crossbar.inputs.has(slot) && g.contest.mayStart(slot, firstParcel) {
			g.choose(slot, g.in.firstIn(slot))
		}
	}
}

// passByRank implements passSlots for other orders, which starts may change.
func (g *general) passByRank() {
	for {
		slot := g.contest.firstByKey()
		if slot == anyOutput {
			break
		}
		g.contest.contending.clear(slot)
		if g.contest.mayStart(slot, firstParcel) && g.choose(slot, g.in.firstIn(slot)) {
			g.contest.siftSlots(g.waits.waitersFor(g.port(g.crossbar.taken)))
		}
	}
}
