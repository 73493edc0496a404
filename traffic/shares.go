package traffic

import (
	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/topology"
)

// Shares implements Pattern.
func (t table) Shares(src int32, visit func(int32, float64) bool) bool { return visit(t[src], 1) }

// Fan implements Pattern.
func (t table) Fan() int { return 1 }

// Shares implements Pattern.
func (u uniform) Shares(_ int32, visit func(int32, float64) bool) bool {
	return evenly(0, u.hosts, 1, visit)
}

// Fan implements Pattern.
func (u uniform) Fan() int { return u.hosts }

// Shares implements Pattern.
func (u uniformOthers) Shares(src int32, visit func(int32, float64) bool) bool {
	n := int(src)
	share := float64(n) / float64(u.hosts-1)
	return evenly(0, n, share, visit) && evenly(src+1, u.hosts-n-1, 1-share, visit)
}

// Fan implements Pattern.
func (u uniformOthers) Fan() int { return u.hosts }

// evenly calls visit for n consecutive hosts, each with share/n. It stops if visit returns false.
func evenly(first int32, n int, share float64, visit func(int32, float64) bool) bool {
	for dst := first; dst < first+int32(n); dst++ {
		if !visit(dst, share/float64(n)) {
			return false
		}
	}
	return true
}

// Shares implements Pattern.
func (g group) Shares(src int32, visit func(int32, float64) bool) bool {
	return evenly((src/g.size+1)*g.size%g.hosts, int(g.size), 1, visit)
}

// Fan implements Pattern.
func (g group) Fan() int { return int(g.size) }

// Shares implements Pattern.
func (h *hotSpot) Shares(_ int32, visit func(int32, float64) bool) bool {
	share := float64(h.share) / LoadUnit
	for _, dst := range h.hot {
		if !visit(dst, share/float64(len(h.hot))) {
			return false
		}
	}
	return h.share == LoadUnit || evenly(0, h.hosts, 1-share, visit)
}

// Fan implements Pattern.
func (h *hotSpot) Fan() int { return len(h.hot) + h.hosts }

// Shares implements Pattern.
func (b inBlocks) Shares(src int32, visit func(int32, float64) bool) bool {
	return b.blocks.Shares(src/b.size, func(block int32, share float64) bool {
		return visit(block*b.size+src%b.size, share)
	})
}

// Fan implements Pattern.
func (b inBlocks) Fan() int { return b.blocks.Fan() }

// Shares implements Pattern.
func (m *mixture) Shares(src int32, visit func(int32, float64) bool) bool {
	for part := range m.parts {
		p := &m.parts[part]
		first, n := m.candidates(p, src)
		var members []int32
		for dst := first; dst < first+int32(n); dst++ {
			if m.belongs(part, src, dst) {
				members = append(members, dst)
			}
		}
		share := float64(p.Share) / float64(m.total) / float64(len(members))
		for _, dst := range members {
			if !visit(dst, share) {
				return false
			}
		}
	}
	return true
}

// Fan implements Pattern. It includes the hosts tried to find the members of parts.
func (m *mixture) Fan() int {
	n := 0
	for i := range m.parts {
		_, among := m.candidates(&m.parts[i], 0)
		n += among
	}
	return n * len(m.parts)
}

// Flows returns the flows between NICs with their long-term shares of the traffic, if all sources
// send at the same rate. The shares of the flows from a NIC add up to 1. In a closed loop, flows
// include replies, and the shares add up to 1 on average over the NICs.
func (l *Load) Flows(g *topology.Graph, p fabric.Packet) (routing.Flows, error) {
	there, back, err := l.directions(p)
	if err != nil {
		return nil, err
	}
	nics := int32(g.NICsPerHost)
	return func(visit func(some []routing.Flow) bool) {
		var all []routing.Flow // flows of one host
		for src := range int32(g.Hosts) {
			all = all[:0]
			if nics == 1 && back == 0 {
				all = l.oneWay(src, there, all)
			} else {
				all = l.bothWays(src, nics, there, back, all)
			}
			if !visit(all) {
				return
			}
		}
	}, nil
}

// Samples draws random messages between hosts as in a run. It calls visit for each message and its
// reply, with shares as in Flows, until visit returns false. It draws each messages per source, in
// rounds of one message per source. Within a round, hosts with close IDs are far apart in the
// order.
func (l *Load) Samples(
	hosts, each int,
	p fabric.Packet,
	visit func(src, dst int32, share float64) bool,
) error {
	there, back, err := l.directions(p)
	if err != nil {
		return err
	}
	step := stride(hosts)
	for n := range uint64(each) {
		for i := range hosts {
			src := int32(i * step % hosts)
			d := drawsOf(l.Seed, src, n)
			dst := l.Pattern.Destination(src, &d)
			if !visit(src, dst, there) || back > 0 && !visit(dst, src, back) {
				return nil
			}
		}
	}
	return nil
}

// stride returns a number that is coprime to n and close to its golden section.
func stride(n int) int {
	step := max(1, n*618/1000)
	for ; step > 1; step-- {
		a, b := step, n
		for b != 0 {
			a, b = b, a%b
		}
		if a == 1 {
			break
		}
	}
	return step
}

// oneWay appends the flows from a host with one NIC. there is the sum of their shares.
func (l *Load) oneWay(src int32, there float64, all []routing.Flow) []routing.Flow {
	f := routing.Flow{Src: src}
	l.Pattern.Shares(src, func(dst int32, share float64) bool {
		share *= there
		if dst == f.First+f.N && share == f.Share && f.N > 0 {
			f.N++
			return true
		}
		if f.N > 0 {
			all = append(all, f)
		}
		f.First, f.N, f.Share = dst, 1, share
		return true
	})
	if f.N > 0 {
		all = append(all, f)
	}
	return all
}

// bothWays appends the flows from the NICs of a host, whose shares add up to there per NIC, and the
// flows of the replies, whose shares add up to back.
func (l *Load) bothWays(src, nics int32, there, back float64, all []routing.Flow) []routing.Flow {
	l.Pattern.Shares(src, func(dst int32, share float64) bool {
		for n := range nics {
			a, b := src*nics+n, dst*nics+n
			all = append(all, routing.Flow{Src: a, First: b, N: 1, Share: share * there})
			if back > 0 {
				all = append(all, routing.Flow{Src: b, First: a, N: 1, Share: share * back})
			}
		}
		return true
	})
	return all
}

// directions returns the shares of messages (there) and replies (back) in the bytes on the wire.
func (l *Load) directions(p fabric.Packet) (there, back float64, err error) {
	if l.Window == 0 {
		return 1, 0, nil
	}
	s, err := newSizes(l.Sizes)
	if err != nil {
		return 0, 0, err
	}
	request, _ := s.mean(p).Float64()
	reply := float64(p.WireOf(l.Reply))
	return request / (request + reply), reply / (request + reply), nil
}
