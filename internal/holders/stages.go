package holders

import (
	"fabricast/fabric"
	"fabricast/internal/causes"
	"fabricast/topology"
)

// inject processes a packet that leaves its NIC.
func (f *Finder) inject(h *fabric.Hop, s *step) {
	s.self.Link = f.nicLink(h.OutPort)
	nic, to := &f.nics[h.OutPort], f.inputBuffer(f.spec.Graph.NICPort[h.OutPort], h.OutVC)
	if end := h.Ready + h.Queue; end > h.Ready {
		f.pieces = nic.queued(f.pieces, h.Ready, end, s.self)
	}
	f.pieces = add(f.pieces, h.Asked, causes.Count, s.self)
	if t := f.lacking(s, to, to.entered, h.Needs, h.Asked, h.Start, causes.InjectionCredit); t < h.Start {
		f.pieces = add(f.pieces, h.Start, causes.InjectionCredit, s.self)
	}
	nic.sends(s)
	to.enter(s)
}

// lacking charges the wait for credit of a packet from a time t on, but not beyond the time `end` (ps). It
// returns the time up to which the packet has lacked credit; t if it has not.
func (f *Finder) lacking(s *step, to *buffer, entered int64, needs int32, t, end int64, part causes.Part) int64 {
	d := to.enables(entered, needs)
	if d == nil || d.leave+to.latency <= t {
		return t
	}
	end = min(end, d.leave+to.latency)
	f.pieces = d.during(f.pieces, t-to.latency, end-to.latency, to.latency, part)
	return end
}

// cross processes a packet that leaves an input buffer.
func (f *Finder) cross(h *fabric.Hop, s *step) {
	s.self.Link = f.links[h.OutPort]
	from, in, out := f.inputBuffer(h.Port, h.VC), f.input(h.Port), f.output(s.self.Link)
	to := f.behind(h.OutPort, h.OutVC)
	if f.spec.Router.OutputBuffer > 0 {
		to = f.outputBuffer(h.OutPort, h.OutVC)
	}
	busy, credit := causes.Output, causes.Credit
	if f.spec.Graph.Ports[h.OutPort].NIC != topology.Unconnected {
		busy, credit = causes.Ejection, causes.Ejection
	}
	f.waitBehind(s, from, h.Asked, causes.Order)
	for t := h.Asked; t < h.Start; {
		t = f.request(h, s, in, out, to, t, busy, credit)
	}
	from.leave(s)
	in.passed, out.passed = append(in.passed, s), append(out.passed, s)
	to.enter(s)
}

// waitBehind charges the wait of a packet behind others in its buffer, up to a time (ps).
func (f *Finder) waitBehind(s *step, b *buffer, until int64, part causes.Part) {
	t := s.ready
	if n := len(b.gone); n > 0 && b.gone[n-1].leave > t {
		t = min(b.gone[n-1].leave, until)
		s.queue = queue{b, t, part}
	}
	if t < until { // the buffer's turnaround after the last packet
		holder := s.self
		if n := len(b.gone); n > 0 {
			holder = b.gone[n-1].self
		}
		f.pieces = add(f.pieces, until, part, holder)
	}
}

// request charges the wait of a packet that requests the crossbar at the time t (ps), and returns the time of
// its next request.
func (f *Finder) request(h *fabric.Hop, s *step, in, out *server, to *buffer, t int64, busy, credit causes.Part) int64 {
	q, x := out.at(t), in.at(t)
	if q != nil || x != nil {
		if q != nil {
			t = min(q.leave, h.Start)
			f.pieces = add(f.pieces, t, busy, q.self)
		}
		if x != nil && x.leave > t {
			t = min(x.leave, h.Start)
			f.pieces = add(f.pieces, t, causes.Crossbar, x.self)
		}
		return t
	}
	owner, entered := to.after(t)
	if owner != nil && owner.asked <= t {
		f.pieces = owner.during(f.pieces, t, owner.start, 0, credit)
		f.pieces = add(f.pieces, owner.leave, busy, owner.self)
		return owner.leave
	}
	if end := f.lacking(s, to, entered, h.Needs, t, h.Start, credit); end > t {
		return end
	}
	// it has been free to start, but routing or a round of allocation has delayed it
	end := h.Start
	for _, v := range []*server{in, out} {
		if next := v.next(t); next != nil {
			end = min(end, next.start)
		}
	}
	f.pieces = add(f.pieces, end, credit, s.self)
	return end
}

// link processes a packet that leaves an output buffer.
func (f *Finder) link(h *fabric.Hop, s *step) {
	s.self.Link = f.links[h.OutPort]
	part := causes.Output
	if f.spec.Graph.Ports[h.OutPort].NIC != topology.Unconnected {
		part = causes.Ejection
	}
	from, to, link := f.outputBuffer(h.OutPort, h.OutVC), f.behind(h.OutPort, h.OutVC), f.outputLink(h.OutPort)
	t := h.Ready
	if n := len(from.gone); n > 0 && from.gone[n-1].leave > t {
		t = min(from.gone[n-1].leave, h.Start)
		f.waitBehind(s, from, t, part)
	}
	for t < h.Start {
		if q := link.at(t); q != nil {
			t = min(q.leave, h.Start)
			f.pieces = add(f.pieces, t, part, q.self)
			continue
		}
		end := f.lacking(s, to, to.entered, h.Needs, t, h.Start, part)
		if end == t {
			end = h.Start
			if next := link.next(t); next != nil {
				end = min(end, next.start)
			}
			f.pieces = add(f.pieces, end, part, s.self)
		}
		t = end
	}
	from.leave(s)
	link.passed = append(link.passed, s)
	to.enter(s)
}

// receive processes a packet that leaves a NIC for memory.
func (f *Finder) receive(h *fabric.Hop, s *step) {
	s.self.Link = f.links[f.spec.Graph.NICPort[h.Port]]
	for t := h.Ready; t < h.Start; {
		holder, until := s.self, h.Start
		if q := f.receiving(h.Port, t); q != nil {
			holder, until = q.self, q.leave
		}
		t = min(until, h.Start)
		f.pieces = add(f.pieces, t, causes.ReceiveNIC, holder)
	}
	f.nicBuffer(h.Port, h.VC).leave(s)
	nic := f.receiver(h.Port)
	nic.passed = append(nic.passed, s)
}

// receiving returns the packet that a NIC is moving to memory at a time (ps), or, if it shares a bus, that
// another NIC of its host is moving; nil if there is none.
func (f *Finder) receiving(nic int32, t int64) *step {
	if q := f.receiver(nic).at(t); q != nil {
		return q
	}
	nics := int32(f.spec.Graph.NICsPerHost)
	for other := nic / nics * nics; other < (nic/nics+1)*nics; other++ {
		if q := f.receiver(other).at(t); q != nil {
			return q
		}
	}
	return nil
}
