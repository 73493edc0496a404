package channels

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

// inOrder carries out the programs of a rank without threads: a chunk of each channel after the other,
// then the next one of each, and what passes switches last in each phase. The rank itself is busy once for the time that the slowest of them takes.
func (s *Setting) inOrder(c collective.Comm, programs []Program, op *collective.Op, tag int) {
	var open []node.Request
	t, timed := c.(collective.Threaded)
	if timed {
		t.Spend(s.launch * nanosecond)
	}
	for phase := range phases {
		for i := range mostChunks(programs, phase) {
			spent := !timed
			for k := range programs {
				p := &programs[k]
				if p.Phase != phase || p.Stream != nil {
					continue
				}
				for at := range p.chunk(i) {
					m := p.Step(at)
					in := s.receive(c, p, &m, tag)
					if !spent {
						t.Spend(s.longest(programs, phase, i))
						spent = true
					}
					take(p, &m, in, op)
					open = s.send(c, p, &m, tag, open)
				}
			}
		}
		for k := range programs {
			if p := &programs[k]; p.Phase == phase && p.Stream != nil {
				s.through(c.(collective.Contributor), p, op, collective.ChannelTag(tag, 0))
			}
		}
	}
	if len(open) > 0 {
		c.WaitAll(open)
	}
}

// phases is the number of phases of programs.
const phases = 4

// chunk yields the steps that work on chunk i: all of its parts.
func (p *Program) chunk(i int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		if p.Steps == 0 {
			return
		}
		each := max(1, p.Step(0).Whole.Parts)
		for at := i * each; at < min((i+1)*each, p.Steps); at++ {
			if !yield(at) {
				return
			}
		}
	}
}

// receive receives the data of a step, and returns it.
func (s *Setting) receive(c collective.Comm, p *Program, m *Step, tag int) (in []arrival) {
	if len(m.From) == 0 {
		return nil
	}
	requests := make([]node.Request, 0, len(m.From))
	for _, from := range m.From {
		near := s.places.Together(s.rank, int(from))
		of, ok := m.received(near)
		if !ok {
			continue
		}
		buf := steps.Scratch(s.Protocol.Wire(of.N), p.Acc)
		in = append(in, arrival{buf, of})
		requests = append(requests, c.Irecv(buf, int(from), collective.ChannelTag(tag, p.Channel)))
		if near && s.flagged(of.N) {
			flag := steps.Scratch(0, p.Acc)
			requests = append(requests, c.Irecv(flag, int(from), collective.FlagTag(tag, p.Channel)))
		}
	}
	if len(requests) > 0 {
		c.WaitAll(requests)
	}
	return in
}

// send starts to send the data of a step, and appends the requests to open.
func (s *Setting) send(c collective.Comm, p *Program, m *Step, tag int, open []node.Request) []node.Request {
	for _, to := range m.To {
		near := s.places.Together(s.rank, int(to))
		of, ok := m.sent(near)
		if !ok {
			continue
		}
		b := s.Protocol.packed(p.Acc.Slice(of.At, of.N))
		open = append(open, c.Isend(b, int(to), collective.ChannelTag(tag, p.Channel)))
		if near && s.flagged(of.N) {
			open = append(open, c.Isend(steps.Scratch(0, p.Acc), int(to), collective.FlagTag(tag, p.Channel)))
		}
	}
	return open
}

// longest returns the longest time (ps) that a chunk takes in a channel.
func (s *Setting) longest(programs []Program, phase, i int) (d int64) {
	for k := range programs {
		p := &programs[k]
		if p.Phase != phase || p.Stream != nil {
			continue
		}
		busy, after := int64(0), int64(0)
		for at := range p.chunk(i) {
			m := p.Step(at)
			busy += s.busy(&m)
			for _, to := range m.To {
				after = max(after, s.delay(int(to)))
			}
		}
		d = max(d, busy+after)
	}
	return d
}

// mostChunks returns the largest number of chunks of a program.
func mostChunks(programs []Program, phase int) (n int) {
	for k := range programs {
		if p := &programs[k]; p.Phase == phase && p.Stream == nil && p.Steps > 0 {
			n = max(n, p.Steps/max(1, p.Step(0).Whole.Parts))
		}
	}
	return n
}
