package oracle

// tags are the state of start-time fair queueing among the classes of a resource.
type tags struct {
	virtual map[int]int64 // by priority: the start tag of what was granted last
	finish  map[int]int64 // by class: the finish tag of its last packet
}

func newTags() tags { return tags{map[int]int64{}, map[int]int64{}} }

// start returns the start tag that the next packet of a class has.
func (g *tags) start(c *core, class int) int64 {
	return max(g.virtual[c.spec.Router.Classes[class].Priority], g.finish[class])
}

// grant records that a class sends a packet of some bytes.
func (g *tags) grant(c *core, class int, bytes int64) {
	if !c.classed() {
		return
	}
	of, start := c.spec.Router.Classes[class], g.start(c, class)
	g.virtual[of.Priority] = start
	g.finish[class] = start + bytes/c.spec.Packet.Flit<<20/int64(of.Weight)
}

// before returns the two numbers by which classes are ordered at a resource: lower ones come first.
func (g *tags) before(c *core, class int) [2]int64 {
	priority := c.spec.Router.Classes[class].Priority
	return [2]int64{-int64(priority), g.start(c, class) - g.virtual[priority]}
}

// classed reports whether each class of messages has virtual channels of its own.
func (c *core) classed() bool { return len(c.spec.Router.Classes) > 0 }

// classOf returns the class of a message: the last if there are fewer.
func (c *core) classOf(m *message) int {
	return max(0, min(int(m.Class), len(c.spec.Router.Classes)-1))
}

// set returns the number of virtual channels of each class, and base the first of those of a message.
func (c *core) set() int { return c.spec.Router.VCs / max(1, len(c.spec.Router.Classes)) }

func (c *core) base(m *message) int { return c.classOf(m) * c.set() }

// classKey puts the order of classes before the first component of a packet's key. With adaptive
// routing weights do not count, because the output is chosen later.
func (s *switches) classKey(p *packet, past *arbitrage, key [4]int64) [4]int64 {
	class := s.classOf(p.msg)
	of := past.tags.before(s.core, class)
	if s.spec.Adaptive != nil {
		of[1] = 0
	}
	return [4]int64{of[0], of[1], key[0]}
}

// lane is what a NIC sends one message after another: all messages, or those of a class.
type lane struct {
	posted  []*message // messages that have not been completely divided into packets
	waiting []*packet  // packets fetched but not injected yet: at most two
	fetcher server     // DMA channel from memory
	tails   [2]int64   // injection times of the tails of the last two packets (ps)
	packets uint64     // packets created so far
}

// laneOf returns the lane of a message.
func (h *hosts) laneOf(n *nic, m *message) *lane { return n.lanes[h.classOf(m)] }

// fetchLane fetches packets of a lane, as fetch does.
func (h *hosts) fetchLane(n *nic, l *lane) {
	for len(l.posted) > 0 && len(l.waiting) < 2 {
		m := l.posted[0]
		if !h.classed() {
			m = h.next(n)
		}
		p := h.cut(n, m)
		// With one packet waiting, the previous packet but one is the last one injected. With none
		// waiting, the tails of both are known.
		room := l.tails[len(l.waiting)]
		h.fetched(n, p, l.fetcher.transfer(
			max(l.fetcher.end, room, m.Post+int64(h.spec.IOBus.Latency)), p.payload,
		))
	}
}

// nextLane returns the lane that may inject a packet now, as far as its NIC and credit are concerned;
// nil if none may.
func (h *hosts) nextLane(n *nic) (best *lane) {
	var key [2]int64
	for class, l := range n.lanes {
		if len(l.waiting) == 0 || h.now < l.waiting[0].fetched || h.now < n.server.end {
			continue
		}
		if !h.classed() {
			return l
		}
		if p := l.waiting[0]; n.credit[p.entry] < h.nicNeeds(p) {
			continue
		}
		if k := n.tags.before(h.core, class); best == nil || k[0] < key[0] || k[0] == key[0] && k[1] < key[1] {
			best, key = l, k
		}
	}
	return best
}
