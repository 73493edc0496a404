package channels

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

// inOrder carries out the programs of a rank without threads: a step of each channel after the other,
// then the next step of each. The rank itself is busy once for the time that the slowest of them takes.
func (s *Setting) inOrder(c collective.Comm, programs []Program, op *collective.Op, tag int) {
	var open []node.Request
	t, timed := c.(collective.Threaded)
	if timed {
		t.Spend(s.launch * nanosecond)
	}
	for phase := range 2 {
		for i := range mostSteps(programs, phase) {
			spent := !timed
			for k := range programs {
				p := &programs[k]
				if p.Phase != phase || i >= p.Steps {
					continue
				}
				m := p.Step(i)
				in := s.receive(c, p, &m, tag)
				if !spent {
					t.Spend(s.longest(programs, phase, i))
					spent = true
				}
				take(p, &m, in, op)
				for _, to := range m.To {
					b := s.Protocol.packed(p.Acc.Slice(m.At, m.N))
					open = append(open, c.Isend(b, int(to), collective.ChannelTag(tag, p.Channel)))
				}
			}
		}
	}
	if len(open) > 0 {
		c.WaitAll(open)
	}
}

// receive receives the data of a step, and returns it.
func (s *Setting) receive(c collective.Comm, p *Program, m *Step, tag int) (in []node.Buf) {
	if len(m.From) == 0 {
		return nil
	}
	requests := make([]node.Request, 0, len(m.From))
	for _, from := range m.From {
		buf := steps.Scratch(s.Protocol.Wire(m.N), p.Acc)
		in = append(in, buf)
		requests = append(requests, c.Irecv(buf, int(from), collective.ChannelTag(tag, p.Channel)))
	}
	c.WaitAll(requests)
	return in
}

// longest returns the longest time (ps) that a step takes in a channel.
func (s *Setting) longest(programs []Program, phase, i int) (d int64) {
	for k := range programs {
		if p := &programs[k]; p.Phase == phase && i < p.Steps {
			m := p.Step(i)
			one := s.busy(&m)
			for _, to := range m.To {
				one = max(one, s.busy(&m)+s.delay(int(to)))
			}
			d = max(d, one)
		}
	}
	return d
}

func mostSteps(programs []Program, phase int) (n int) {
	for k := range programs {
		if programs[k].Phase == phase {
			n = max(n, programs[k].Steps)
		}
	}
	return n
}
