package match

import (
	"fabricast/node/internal/core"
)

// Matcher matches messages with receives by the rules of MPI. Its state for each rank is in the
// rank's record.
type Matcher struct {
	Requests   *core.Requests
	Unexpected core.Pool[core.Unexpected]
	Tables     Tables // queues that do not fit into their ranks' records
}

// TakePosted removes and returns the receive that a message matches: the earliest posted one whose
// pattern matches. It returns 0 if there is none.
func (m *Matcher) TakePosted(r *core.Rank, k core.Key) (uint32, *core.ReceiveState) {
	if first := &r.Queues[0]; first.Only() {
		i := first.Element()
		q := m.Requests.Receives.At(i)
		if !q.Fits(k) {
			return 0, nil
		}
		*first = core.Queue{}
		return i, q
	}
	best, place := m.firstPosted(r, k)
	for s := range core.Shapes {
		if !r.Uses(s) {
			continue
		}
		first, i := m.firstPosted(r, k.As(s))
		if first != 0 && (best == 0 || m.postedBefore(first, best)) {
			best, place = first, i
		}
	}
	if best == 0 {
		return 0, nil
	}
	m.dropPosted(r, place, best)
	return best, m.Requests.Receives.At(best)
}

// postedBefore reports whether receive i was posted before receive j. Their indices wrap at 2^32,
// so it compares the difference.
func (m *Matcher) postedBefore(i, j uint32) bool {
	p := &m.Requests.Receives
	return int32(p.At(i).Order()-p.At(j).Order()) < 0
}

// firstPosted returns the first receive with pattern k and the position of its queue; 0 if there is
// none.
func (m *Matcher) firstPosted(r *core.Rank, k core.Key) (first uint32, place int) {
	i := m.Find(r, k, k.Hash())
	if i < 0 {
		return 0, -1
	}
	q := m.Queue(r, i)
	if !q.Posted() {
		return 0, -1
	}
	return m.Requests.Receives.At(q.Element()).Next(), i
}

// dropPosted removes the first receive of the queue at a position.
func (m *Matcher) dropPosted(r *core.Rank, place int, first uint32) {
	element := m.Queue(r, place).Element()
	if element == first {
		m.Remove(r, place)
		return
	}
	last := m.Requests.Receives.At(element)
	last.Link(last.Order(), m.Requests.Receives.At(first).Next())
}

// Post appends a receive to the queue of its pattern.
func (m *Matcher) Post(r *core.Rank, k core.Key, index uint32, q *core.ReceiveState) {
	if r.Bare() {
		r.PostOnly(index, q)
		return
	}
	order := r.Orders
	r.Orders++
	hash := k.Hash()
	i := m.Find(r, k, hash)
	if i < 0 {
		q.Link(order, index)
		m.Insert(r, hash, index, core.PostedQueue)
		return
	}
	queue := m.Queue(r, i)
	last := m.Requests.Receives.At(queue.Element())
	q.Link(order, last.Next())
	last.Link(last.Order(), index)
	queue.SetLast(index)
}

// Withdraw removes a receive from its matching queue. It reports whether the receive was there.
func (m *Matcher) Withdraw(r *core.Rank, index uint32) bool {
	k := m.Requests.Receives.At(index).Key()
	place := m.Find(r, k, k.Hash())
	if place < 0 || !m.Queue(r, place).Posted() {
		return false
	}
	last := m.Queue(r, place).Element()
	before := last
	for m.Requests.Receives.At(before).Next() != index {
		if before = m.Requests.Receives.At(before).Next(); before == last {
			return false
		}
	}
	switch p := m.Requests.Receives.At(before); {
	case before == index:
		m.Remove(r, place)
	default:
		p.Link(p.Order(), m.Requests.Receives.At(index).Next())
		if last == index {
			m.Queue(r, place).SetLast(before)
		}
	}
	return true
}

// FindUnexpected returns the first unexpected message that matches the pattern; 0 if there is none.
func (m *Matcher) FindUnexpected(r *core.Rank, pattern core.Key) uint32 {
	if r.AllUnexpected == 0 {
		// A shape must be in use before the first receive with it is posted.
		r.Use(pattern.Shape())
		return 0
	}
	s := pattern.Shape()
	m.useShape(r, s)
	i := m.Find(r, pattern, pattern.Hash())
	if i < 0 {
		return 0
	}
	q := m.Queue(r, i)
	if q.Posted() {
		return 0
	}
	last := m.Unexpected.At(q.Element())
	if s == core.Exact {
		return last.Next
	}
	return last.Links[s].Next
}

// AddUnexpected queues an unexpected message.
func (m *Matcher) AddUnexpected(r *core.Rank, id uint32) {
	u := m.Unexpected.At(id)
	k := u.Key()
	hash := k.Hash()
	if i := m.Find(r, k, hash); i < 0 {
		u.Next = id
		m.Insert(r, hash, id, core.Exact)
	} else {
		q := m.Queue(r, i)
		last := m.Unexpected.At(q.Element())
		u.Next, last.Next = last.Next, id
		q.SetLast(id)
	}
	r.AllUnexpected = m.link(r.AllUnexpected, id, core.All)
	for s := range core.Shapes {
		if r.Uses(s) {
			m.linkShape(r, k.As(s), id, s)
		}
	}
}

// RemoveUnexpected removes a message from all its queues. Unless the message is canceled, it is the
// first one in the queue of its exact pattern, because all messages there match the same receives.
func (m *Matcher) RemoveUnexpected(r *core.Rank, id uint32) {
	u := m.Unexpected.At(id)
	k := u.Key()
	i := m.Find(r, k, k.Hash())
	last := m.Queue(r, i).Element()
	before := last
	for m.Unexpected.At(before).Next != id {
		before = m.Unexpected.At(before).Next
	}
	switch {
	case before == id:
		m.Remove(r, i)
	case last == id:
		m.Queue(r, i).SetLast(before)
		fallthrough
	default:
		m.Unexpected.At(before).Next = u.Next
	}
	r.AllUnexpected = m.unlink(r.AllUnexpected, id, core.All)
	for s := range core.Shapes {
		if r.Uses(s) {
			m.unlinkShape(r, k.As(s), id, s)
		}
	}
}

// useShape creates the queues of a wildcard shape for a rank that uses the shape for the first
// time. Ranks without wildcards never pay for such queues.
func (m *Matcher) useShape(r *core.Rank, shape int) {
	if shape == core.Exact || r.Uses(shape) {
		return
	}
	r.Use(shape)
	for id := range m.UnexpectedOf(r) {
		m.linkShape(r, m.Unexpected.At(id).Key().As(shape), id, shape)
	}
}

// UnexpectedOf yields a rank's unexpected messages in order of arrival.
func (m *Matcher) UnexpectedOf(r *core.Rank) func(yield func(id uint32) bool) {
	return func(yield func(id uint32) bool) {
		last := r.AllUnexpected
		if last == 0 {
			return
		}
		for id := m.Unexpected.At(last).Links[core.All].Next; yield(id) && id != last; {
			id = m.Unexpected.At(id).Links[core.All].Next
		}
	}
}

// linkShape appends a message to the queue of a wildcard pattern.
func (m *Matcher) linkShape(r *core.Rank, pattern core.Key, id uint32, shape int) {
	hash := pattern.Hash()
	i := m.Find(r, pattern, hash)
	if i < 0 {
		m.link(0, id, shape)
		m.Insert(r, hash, id, shape)
		return
	}
	q := m.Queue(r, i)
	q.SetLast(m.link(q.Element(), id, shape))
}

// unlinkShape removes a message from the queue of a wildcard pattern.
func (m *Matcher) unlinkShape(r *core.Rank, pattern core.Key, id uint32, shape int) {
	i := m.Find(r, pattern, pattern.Hash())
	q := m.Queue(r, i)
	if last := m.unlink(q.Element(), id, shape); last != 0 {
		q.SetLast(last)
	} else {
		m.Remove(r, i)
	}
}

// link appends a message to a ring with the given last element (0 if the ring is empty), and
// returns the new last element.
func (m *Matcher) link(last, id uint32, ring int) uint32 {
	l := &m.Unexpected.At(id).Links[ring]
	if last == 0 {
		l.Next, l.Prev = id, id
		return id
	}
	end := &m.Unexpected.At(last).Links[ring]
	l.Next, l.Prev = end.Next, last
	m.Unexpected.At(end.Next).Links[ring].Prev = id
	end.Next = id
	return id
}

// unlink removes a message from a ring with the given last element, and returns the new last
// element; 0 if none is left.
func (m *Matcher) unlink(last, id uint32, ring int) uint32 {
	l := m.Unexpected.At(id).Links[ring]
	if l.Next == id {
		return 0
	}
	m.Unexpected.At(l.Prev).Links[ring].Next = l.Next
	m.Unexpected.At(l.Next).Links[ring].Prev = l.Prev
	if last == id {
		return l.Prev
	}
	return last
}

// TakeEarly is like TakePosted for a rank without wildcards. It takes no receive that the rank
// waits for or watches, that has contents, or whose buffer is smaller than the message.
func (m *Matcher) TakeEarly(r *core.Rank, k core.Key, size int64) (uint32, *core.ReceiveState) {
	if r.Queues[0].Only() {
		return 0, nil // the rank waits for this receive, or soon will
	}
	first, place := m.firstPosted(r, k)
	if first == 0 {
		return 0, nil
	}
	q := m.Requests.Receives.At(first)
	if q.Awaited() || q.Extent&core.IsWide != 0 || size > int64(q.Extent) {
		return 0, nil
	}
	m.dropPosted(r, place, first)
	return first, q
}
