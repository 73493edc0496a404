package holders

// places are what has been in the places of a queue, which are numbered. They are left in their order.
type places struct {
	list   []place
	first  int64 // number of the first in the list
	passed int64 // number of the last that has been left by its packet for the link
	needed int64 // number of the first to which a loss refers
	claims []*claim
}

// place is a packet in a queue.
type place struct {
	holder   *holder // nil: it is not known
	bytes    int64
	replaced bool // by the one in the next place, which has taken this one away
}

// span is what was in a queue at a time.
type span struct {
	queue       int32
	first, last int64 // numbers of places
}

// put notes which packet has been in a place.
func (q *places) put(number int64, x place) {
	switch {
	case len(q.list) == 0:
		q.first = number
	case number < q.first: // the last one was replaced before any other was known
		q.list = append(make([]place, q.first-number), q.list...)
		q.first = number
	}
	for int64(len(q.list)) <= number-q.first {
		q.list = append(q.list, place{})
	}
	q.list[number-q.first] = x
}

// each calls a function for what was in a queue at a time.
func (q *places) each(s span, visit func(*place)) {
	for i := max(s.first, q.first); i <= s.last && i-q.first < int64(len(q.list)); i++ {
		if x := &q.list[i-q.first]; x.holder != nil && (!x.replaced || i == s.last) {
			visit(x)
		}
	}
}

// knows reports whether it is known what was in a queue at a time.
func (q *places) knows(s span) bool {
	if s.first < q.first || s.last-q.first >= int64(len(q.list)) {
		return false
	}
	for i := s.last; i >= s.first; i-- {
		if q.list[i-q.first].holder == nil {
			return false
		}
	}
	return true
}

// passes notes that a packet has left a queue for the link.
func (p *Packets) passes(queue int32, number int64, s *step) {
	p.queueOf(queue).passed = number
	p.leaves(queue, number, place{s.self, s.flits, false})
}

// leaves notes which packet has left a queue, for the link or not.
func (p *Packets) leaves(queue int32, number int64, x place) {
	q := p.queueOf(queue)
	q.put(number, x)
	claims := q.claims
	q.claims = nil
	for _, c := range claims {
		p.claims(c)
	}
}

// forgetPlaces forgets the places that no loss refers to.
func (p *Packets) forgetPlaces() {
	for _, q := range p.queues {
		q.needed = q.passed // the one that passes may be in the way of a packet that is lost now
	}
	for _, f := range p.flows {
		for _, s := range f.packets {
			for _, c := range s.copies {
				p.need(c.filled)
				if c.loss != nil {
					p.need(c.loss.by.spans)
				}
			}
		}
	}
	for _, q := range p.queues {
		for _, c := range q.claims {
			p.need(c.of.spans)
		}
	}
	for _, q := range p.queues {
		q.forget(q.needed)
	}
}

// need keeps what was in queues.
func (p *Packets) need(spans []span) {
	for _, s := range spans {
		q := p.queueOf(s.queue)
		q.needed = min(q.needed, s.first)
	}
}

// queueOf returns the places of the queue of a class at a port.
func (p *Packets) queueOf(queue int32) *places {
	q := p.queues[queue]
	if q == nil {
		q = &places{}
		p.queues[queue] = q
	}
	return q
}

// forget forgets the places before a number.
func (q *places) forget(number int64) {
	if n := min(number-q.first, int64(len(q.list))); n > 0 {
		q.list = append(q.list[:0], q.list[n:]...)
		q.first += n
	}
}
