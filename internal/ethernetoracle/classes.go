package ethernetoracle

import (
	"math/big"
	"slices"

	"fabricast/ethernet"
	"fabricast/internal/units"
)

// classes returns those of the network; one if it has none.
func (n *network) classes() []ethernet.Class {
	if list := n.spec.Switch.Classes; len(list) > 0 {
		return list
	}
	return []ethernet.Class{{Quantum: 1}}
}

// classOf returns the class of a message: that with its number, or the last.
func (n *network) classOf(m Message) int { return min(m.Class, len(n.classes())-1) }

// queueOf returns how many bytes of a class an output holds at most; 0: any number.
func (n *network) queueOf(out *port, class int) int64 {
	queue := n.spec.Switch.Queue
	if own := n.classes()[class].Queue; own > 0 {
		queue = own
	}
	return max(n.scaled(out, queue), min(queue, n.spec.Packet.MTU))
}

// scaled returns the share of a number of bytes that an output has whose link is slower than that of NICs.
func (n *network) scaled(out *port, bytes int64) int64 {
	g := n.spec.Graph
	full, own := n.spec.Links[g.Ports[g.NICPort[0]].Link].Bandwidth, n.spec.Links[g.Ports[out.id].Link].Bandwidth
	if !n.spec.Switch.Scaled || own >= full {
		return bytes
	}
	share := new(big.Int).Mul(big.NewInt(bytes), big.NewInt(int64(own)))
	return share.Quo(share, big.NewInt(int64(full))).Int64()
}

// alphaOf returns the share of what is free that an input may have of a class.
func (n *network) alphaOf(class int) units.Fraction {
	if own := n.classes()[class].Alpha; own > 0 {
		return own
	}
	return n.spec.Switch.Shared.Alpha
}

// marksOf returns when packets of a class are marked.
func (n *network) marksOf(out *port, class int) ethernet.ECN {
	e, c := n.spec.Switch.ECN, n.classes()[class]
	if c.MarkMax > 0 {
		e.Min, e.Max, e.Most = c.MarkMin, c.MarkMax, c.MarkMost
	}
	e.Min, e.Max = n.scaled(out, e.Min), max(n.scaled(out, e.Max), min(e.Max, 1))
	return e
}

// scheduler selects the class that sends next at an output or NIC.
type scheduler struct {
	orders map[int][]int // of each priority: its classes, that whose turn it is first
	left   map[int]int64 // of each class: bytes that it may still send in its turn
}

func (n *network) newScheduler() scheduler {
	s := scheduler{map[int][]int{}, map[int]int64{}}
	for class, c := range n.classes() {
		s.orders[c.Priority] = append(s.orders[c.Priority], class)
	}
	return s
}

// next returns the class that sends next, of those with a packet; sizes are those of first packets.
func (n *network) next(s *scheduler, sizes map[int]int64) int {
	highest := 0
	for class := range sizes {
		highest = class
	}
	for class := range sizes {
		if n.classes()[class].Priority > n.classes()[highest].Priority {
			highest = class
		}
	}
	order := s.orders[n.classes()[highest].Priority]
	for {
		first := order[0]
		if size, waits := sizes[first]; waits && s.left[first] >= size {
			s.left[first] -= size
			return first
		}
		order = append(slices.Clone(order[1:]), first)
		s.orders[n.classes()[highest].Priority] = order
		if _, waits := sizes[order[0]]; waits {
			s.left[order[0]] += n.classes()[order[0]].Quantum
		}
	}
}

// of returns the packets of a class, in their order.
func of(class int, list []*packet) (some []*packet) {
	for _, p := range list {
		if p.class == class {
			some = append(some, p)
		}
	}
	return some
}
