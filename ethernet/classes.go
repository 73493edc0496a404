package ethernet

import (
	"cmp"
	"fmt"
	"slices"

	"fabricast/fabric"
	"fabricast/internal/units"
)

// MostClasses is the largest number of classes of a network: as many as PFC and the priorities of
// IEEE 802.1Q have.
const MostClasses = 8

// Class is how ports and NICs treat the messages of a class. What is 0 in it is that of the Switch.
type Class struct {
	// Priority is strict: a class sends only if none with a greater priority can.
	Priority int
	// Quantum is how many bytes a class may send when its turn comes among those of its priority
	// (deficit round robin).
	Quantum int64
	Queue   int64          // how many bytes of packets of the class with payload a port holds
	Alpha   units.Fraction // that of the class, if ports share a buffer
	// MarkMin, MarkMax and MarkMost are those of ECN for the queues of the class; MarkMax 0: all
	// three are those of the Switch.
	MarkMin, MarkMax int64
	MarkMost         float64
}

// levels returns the classes of each priority, the greatest first, each in their order.
func levels(classes []Class) (list [][]int) {
	order := make([]int, len(classes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(classes[b].Priority, classes[a].Priority) })
	for i, c := range order {
		if i == 0 || classes[c].Priority != classes[order[i-1]].Priority {
			list = append(list, nil)
		}
		list[len(list)-1] = append(list[len(list)-1], c)
	}
	return list
}

// deriveClasses completes the classes by what the Switch has. Without classes all messages are of one.
func (l *layout) deriveClasses() {
	w := &l.Switch
	list := slices.Clone(w.Classes)
	if len(list) == 0 {
		list = []Class{{Quantum: l.Packet.MTU}}
	}
	for i := range list {
		c := &list[i]
		c.Queue = cmp.Or(c.Queue, w.Queue)
		if w.Shared != nil {
			c.Alpha = cmp.Or(c.Alpha, w.Shared.Alpha)
		}
		if c.MarkMax == 0 {
			c.MarkMin, c.MarkMax, c.MarkMost = w.ECN.Min, w.ECN.Max, w.ECN.Most
		}
	}
	l.classes, l.levels = list, levels(list)
}

// limits are what the queues of a port may hold, and when they mark, by its link.
type limits struct {
	classes []Class
	headers int64 // bytes of packets without payload
}

// deriveLimits computes the limits of ports for each class of links.
func (l *layout) deriveLimits() {
	full := l.rateOf(0)
	for _, link := range l.Links {
		of := limits{slices.Clone(l.classes), l.Switch.Headers}
		if l.Switch.Scaled && link.Bandwidth < full {
			share := func(bytes, least int64) int64 {
				return max(least, units.MulDiv(bytes, int64(link.Bandwidth), int64(full)))
			}
			of.headers = share(of.headers, max(l.Packet.Control, l.Packet.Header))
			for i := range of.classes {
				c := &of.classes[i]
				c.Queue, c.MarkMin, c.MarkMax = share(c.Queue, l.Packet.MTU), share(c.MarkMin, 0), share(c.MarkMax, 1)
			}
		}
		l.limits = append(l.limits, of)
	}
}

// limitsOf returns the limits of a port.
func (l *layout) limitsOf(port int32) *limits { return &l.limits[l.Graph.Ports[port].Link] }

// checkClasses returns an error if the classes cannot be simulated.
func (s *Spec) checkClasses() error {
	if len(s.Switch.Classes) > MostClasses {
		return fmt.Errorf("%d classes: at most %d", len(s.Switch.Classes), MostClasses)
	}
	for i, c := range s.Switch.Classes {
		switch {
		case c.Quantum < 1:
			return fmt.Errorf("class %d sends %d B when its turn comes: must be at least 1", i, c.Quantum)
		case c.Queue > 0 && c.Queue < s.Packet.MTU:
			return fmt.Errorf("ports of switches hold %d B of class %d, less than a packet of %d B", c.Queue, i, s.Packet.MTU)
		}
	}
	return nil
}

// classOf returns the class of a message in switches: its own, or the last.
func (l *layout) classOf(m *fabric.Message) uint8 { return min(m.Class, uint8(len(l.classes)-1)) }

// rounds is the state of deficit round robin (Shreedhar and Varghese, IEEE/ACM ToN 1996) among the
// classes of each priority.
type rounds struct {
	turns    [MostClasses]uint8 // of each priority: the place of the class whose turn it is
	deficits [MostClasses]int64 // of each class: bytes that it may still send in its turn
}

// choose returns the class that sends next, of those of which sizes has the size of the first packet;
// 0: the class cannot send. It returns -1 if none can.
func (l *layout) choose(r *rounds, sizes *[MostClasses]int64) int {
	for level, members := range l.levels {
		if !slices.ContainsFunc(members, func(c int) bool { return sizes[c] > 0 }) {
			continue
		}
		at := int(r.turns[level])
		for {
			c := members[at]
			if size := sizes[c]; size > 0 && size <= r.deficits[c] {
				r.turns[level] = uint8(at)
				r.deficits[c] -= size
				return c
			}
			for at = (at + 1) % len(members); sizes[members[at]] == 0; {
				at = (at + 1) % len(members)
			}
			r.deficits[members[at]] += l.classes[members[at]].Quantum
		}
	}
	return -1
}
