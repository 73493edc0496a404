package oracle

import (
	"sort"

	"fabricast/fabric"
	"fabricast/internal/causes"
	"fabricast/topology"
)

// Held says what a message waited for, and who held it. Messages are given by their numbers.
type Held struct {
	Message, Holder  int64
	Part             causes.Part
	Link, HolderLink int32 // links as observations number them
}

// RecordHolders makes the oracle find out who held what messages waited for. It must be called before Run.
func (o *Oracle) RecordHolders() { o.core.ledger = newLedger(&o.spec) }

// Holders returns the times (ps) for which messages waited in the whole run.
func (o *Oracle) Holders() map[Held]int64 {
	l, all := o.core.ledger, map[Held]int64{}
	for _, s := range l.stays {
		l.divide(s)
	}
	for _, s := range l.stays {
		for t := s.ready; s.last && t < s.start; {
			p := s.periodAt(t)
			if p.part == causes.Count {
				t = p.until
				continue
			}
			of, until := l.charged(s, t)
			until = min(until, s.start)
			all[Held{o.number(s.message), o.number(of.message), p.part, s.link, of.link}] += until - t
			t = until
		}
	}
	return all
}

func (o *Oracle) number(m *message) int64 {
	nics := int32(o.spec.Graph.NICsPerHost)
	return fabric.MessageNumber(m.Src/nics, m.Dst/nics, m.Tag, m.Size, m.Sent)
}

// charged returns who a packet is charged with at a time, and up to when at least.
func (l *ledger) charged(s *stay, t int64) (of *stay, until int64) {
	switch {
	case t < s.ready:
		return s, s.ready
	case t >= s.start:
		return s, max(s.leave, t+1)
	}
	p := s.periodAt(t)
	if !p.passOn {
		return p.of, p.until
	}
	of, until = l.charged(p.of, t-p.earlier)
	return of, min(p.until, until+p.earlier)
}

func (s *stay) periodAt(t int64) *period {
	i := sort.Search(len(s.periods), func(i int) bool { return s.periods[i].until > t })
	if i < len(s.periods) {
		return &s.periods[i]
	}
	return &period{until: s.start, part: causes.Count, of: s}
}

// passing returns who occupies an object at a time; nil if nobody does.
func (l *ledger) passing(o object, t int64) *stay { return to(l.went, o).passing(t) }

// divide divides the wait of a stay into periods.
func (l *ledger) divide(s *stay) {
	switch s.out.kind {
	case sendingNIC: // it has been divided at once, up to its request
		l.waitForCredit(s, s.asked, causes.InjectionCredit)
		s.wait(s.start, causes.InjectionCredit, s)
	case outPort:
		l.divideCrossing(s)
	case outLink:
		l.divideLinking(s)
	case memory:
		l.divideReceipt(s)
	}
}

// wait adds a period up to a time, if that is later than the end of the last one.
func (s *stay) wait(until int64, part causes.Part, of *stay) { s.passOn(until, part, of, false, 0) }

func (s *stay) passOn(until int64, part causes.Part, of *stay, on bool, earlier int64) {
	if until = min(until, s.start); until > s.reached() {
		s.periods = append(s.periods, period{until, part, of, on, earlier})
	}
}

// reached returns the time up to which a wait is divided.
func (s *stay) reached() int64 {
	if n := len(s.periods); n > 0 {
		return s.periods[n-1].until
	}
	return s.ready
}

// dividesInjection divides the time in which other packets had the NIC, and the time up to the request.
func (l *ledger) dividesInjection(s *stay, end int64) {
	for s.reached() < end {
		t := s.reached()
		if q := l.passing(s.out, t); q != nil {
			s.wait(min(q.leave, end), causes.NICQueue, q)
		} else if q := to(l.went, s.out).next(t, s.start); q != nil {
			s.wait(min(q.start, end), causes.NICQueue, q)
		} else {
			s.wait(end, causes.NICQueue, s)
		}
	}
	s.wait(s.asked, causes.Count, s)
}

// waitForCredit divides a wait for credit that starts at a time, if there is one.
func (l *ledger) waitForCredit(s *stay, t int64, part causes.Part) {
	came, went := to(l.came, s.to), to(l.went, s.to)
	n := came.startedBy(t)
	if s.out.kind != outPort { // no other packet can be granted the credit before
		n = came.startedBy(s.start - 1)
	}
	lacks := s.needs - l.size(s.to)
	if n > 0 {
		lacks += came.sums[n-1]
	}
	d := sort.Search(len(went.sums), func(i int) bool { return went.sums[i] >= lacks })
	if lacks > 0 && d < len(went.stays) {
		s.passOn(went.stays[d].leave+l.delay(s.to), part, went.stays[d], true, l.delay(s.to))
	}
}

// size returns the size of a buffer in bytes, and delay the time that its credit takes (ps).
func (l *ledger) size(o object) int64 {
	if o.kind == outBuffer {
		return int64(l.spec.Router.OutputBuffer) / l.spec.Packet.Flit * l.spec.Packet.Flit
	}
	return int64(l.spec.Router.Buffer) / l.spec.Packet.Flit * l.spec.Packet.Flit
}

func (l *ledger) delay(o object) int64 {
	port := o.index
	switch o.kind {
	case outBuffer:
		return 0
	case nicBuffer:
		port = int(l.spec.Graph.NICPort[o.index])
	}
	return int64(l.spec.Links[l.spec.Graph.Ports[port].Link].Latency)
}

// behind divides the wait behind other packets in the same buffer, up to a time.
func (l *ledger) behind(s *stay, until int64, part causes.Part) {
	from := to(l.went, s.from)
	n := from.startedBy(s.start - 1)
	for i := from.leftBy(s.ready); i < n; i++ {
		s.passOn(min(from.stays[i].leave, until), part, from.stays[i], true, 0)
	}
	if n > 0 {
		s.wait(until, part, from.stays[n-1])
	}
	s.wait(until, part, s)
}

func (l *ledger) toNIC(s *stay) bool {
	return l.spec.Graph.Ports[s.out.index].NIC != topology.Unconnected
}

func (l *ledger) divideCrossing(s *stay) {
	busy, credit := causes.Output, causes.Credit
	if l.toNIC(s) {
		busy, credit = causes.Ejection, causes.Ejection
	}
	l.behind(s, s.asked, causes.Order)
	for s.reached() < s.start {
		t := s.reached()
		out, in := l.passing(s.out, t), l.passing(s.in, t)
		if out != nil {
			s.wait(out.leave, busy, out)
		}
		if in != nil {
			s.wait(in.leave, causes.Crossbar, in)
		}
		if out != nil || in != nil {
			continue
		}
		if first := to(l.came, s.to).next(t, s.start); first != nil && first.asked <= t {
			s.passOn(first.start, credit, first, true, 0)
			s.wait(first.leave, busy, first)
			continue
		}
		l.waitForCredit(s, t, credit)
		if s.reached() == t {
			l.delayed(s, credit, s.in, s.out)
		}
	}
}

// delayed divides the time until anything changes in which a packet waits although nothing that it needs is
// taken.
func (l *ledger) delayed(s *stay, part causes.Part, of ...object) {
	t, until := s.reached(), s.start
	for _, o := range of {
		if next := to(l.went, o).next(t, s.start); next != nil {
			until = min(until, next.start)
		}
	}
	s.wait(until, part, s)
}

func (l *ledger) divideLinking(s *stay) {
	part := causes.Output
	if l.toNIC(s) {
		part = causes.Ejection
	}
	before, from := s.ready, to(l.went, s.from)
	if n := from.startedBy(s.start - 1); n > 0 {
		before = max(before, from.stays[n-1].leave)
	}
	l.behind(s, before, part)
	for s.reached() < s.start {
		t := s.reached()
		if q := l.passing(s.out, t); q != nil {
			s.wait(q.leave, part, q)
			continue
		}
		if l.waitForCredit(s, t, part); s.reached() == t {
			l.delayed(s, part, s.out)
		}
	}
}

func (l *ledger) divideReceipt(s *stay) {
	for s.reached() < s.start {
		t := s.reached()
		q := l.passing(s.out, t)
		nics := l.spec.Graph.NICsPerHost
		for other := s.out.index / nics * nics; q == nil && other < (s.out.index/nics+1)*nics; other++ {
			q = l.passing(object{memory, other, 0}, t)
		}
		if q == nil {
			s.wait(s.start, causes.ReceiveNIC, s)
		} else {
			s.wait(q.leave, causes.ReceiveNIC, q)
		}
	}
}
