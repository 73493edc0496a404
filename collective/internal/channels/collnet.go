package channels

import "fabricast/node"

// directAllreduce returns the programs of an allreduce by CollNetDirect: each rank sends all other ranks of
// its node the chunks of which they are the heads, combines what it gets, has it reduced by the switches
// between nodes, and sends the result to the others.
func (s *Setting) directAllreduce(acc node.Buf, elem int) []Program {
	var all list
	n, me := s.heads()
	at, _ := s.places.of(s.rank)
	var others []int32
	for k := 1; k < n; k++ {
		others = append(others, s.places.at(at, (me+k)%n))
	}
	for channel, of := range shares(acc.Len(), s.channels, elem) {
		d := s.slicing(of, n, elem)
		mine := func(i int, from, to []int32) Step {
			m := d.piece(i, me, 0, 0)
			m.From, m.To, m.Combine = from, to, true
			return m
		}
		theirs := func(i int) (m Step, rank []int32) {
			k := i % len(others)
			return d.piece(i/len(others), (me+1+k)%n, 0, 0), others[k : k+1]
		}
		if n > 1 {
			all.add(Program{Channel: channel, Acc: acc, Steps: d.loops() * len(others), Step: func(i int) Step {
				m, rank := theirs(i)
				m.To = rank
				return m
			}})
		}
		gather := all.add(Program{Channel: channel, Phase: 1, Acc: acc, Steps: d.loops(), Step: func(i int) Step {
			return mine(i, others, nil)
		}})
		sum := s.among(&all, channel, acc, elem, &d, me, func(loop int) After { return After{gather, loop + 1} })
		if n == 1 {
			continue
		}
		results := channel + s.channels // other tags than those of the operands
		all.add(Program{Channel: results, Phase: 3, Acc: acc, Steps: d.loops(), Step: func(i int) Step {
			m := mine(i, nil, others)
			m.After = sum(i)
			return m
		}})
		all.add(Program{Channel: results, Phase: 3, Acc: acc, Steps: d.loops() * len(others), Step: func(i int) Step {
			m, rank := theirs(i)
			m.From = rank
			return m
		}})
	}
	return all
}

// chainAllreduce returns the programs of an allreduce by CollNetChain: in each channel the ranks of a node
// are a chain, at whose end one has the sum reduced by the switches between nodes; the result goes back.
func (s *Setting) chainAllreduce(acc node.Buf, elem int) []Program {
	var all list
	n, me := s.heads()
	at, _ := s.places.of(s.rank)
	for channel, of := range shares(acc.Len(), s.channels, elem) {
		head := channel % n
		i := (me - head + n) % n
		d := s.slicing(of, 1, elem)
		near := func(k int) (rank []int32) {
			if k >= 0 && k < n {
				rank = []int32{s.places.at(at, (head+k)%n)}
			}
			return rank
		}
		program := func(phase int, from, to []int32, combine bool, after func(loop int) After) int {
			return all.add(Program{Channel: channel, Phase: phase, Acc: acc, Steps: d.loops(), Step: func(loop int) Step {
				m := d.piece(loop, 0, 0, 0)
				m.From, m.To, m.Combine = from, to, combine
				if after != nil {
					m.After = after(loop)
				}
				return m
			}})
		}
		if i > 0 {
			program(0, near(i+1), near(i-1), true, nil)
			program(2, near(i-1), near(i+1), false, nil)
			continue
		}
		up := program(0, near(1), nil, true, nil)
		sum := s.among(&all, channel, acc, elem, &d, 0, func(loop int) After { return After{up, loop + 1} })
		if n > 1 {
			program(2, nil, near(1), false, sum)
		}
	}
	return all
}
