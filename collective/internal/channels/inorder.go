package channels

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

// inOrder carries out the programs of a rank without threads: a step of each channel, then the next
// step of each. The rank itself is busy for the time that the slowest of them takes.
func (s *Setting) inOrder(c collective.Comm, programs []Program, op *collective.Op, tag int) {
	var open []node.Request
	t, timed := c.(collective.Threaded)
	if timed {
		t.Spend(s.launch * nanosecond)
	}
	for phase := range 2 {
		for i := range mostSteps(programs, phase) {
			all := make([]node.Request, 0, len(programs))
			in := make([][]node.Buf, len(programs))
			for k := range programs {
				if p := &programs[k]; p.Phase == phase && i < p.Steps {
					m := p.Step(i)
					for _, from := range m.From {
						buf := steps.Scratch(s.Protocol.Wire(m.N), p.Acc)
						in[k] = append(in[k], buf)
						all = append(all, c.Irecv(buf, int(from), collective.ChannelTag(tag, p.Channel)))
					}
				}
			}
			if len(all) > 0 {
				c.WaitAll(all)
			}
			if timed {
				t.Spend(s.longest(programs, phase, i))
			}
			for k := range programs {
				if p := &programs[k]; p.Phase == phase && i < p.Steps {
					m := p.Step(i)
					take(p, &m, in[k], op)
					for _, to := range m.To {
						b := s.Protocol.packed(p.Acc.Slice(m.At, m.N))
						open = append(open, c.Isend(b, int(to), collective.ChannelTag(tag, p.Channel)))
					}
				}
			}
		}
	}
	if len(open) > 0 {
		c.WaitAll(open)
	}
}

// longest returns the longest time (ps) that a step takes in a channel.
func (s *Setting) longest(programs []Program, phase, i int) (d int64) {
	for k := range programs {
		if p := &programs[k]; p.Phase == phase && i < p.Steps {
			m := p.Step(i)
			one := s.busy(m.N)
			for _, to := range m.To {
				one = max(one, s.busy(m.N)+s.delay(int(to)))
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
