package legs

import (
	"fabricast/routing/internal/headers"
	"fabricast/topology"
)

// slimFlyLeg is routing by shortest paths on a Slim Fly, computed by arithmetic. Where there are
// several, a hash of the flow chooses at every router. Each hop has a channel class of its own, by
// its distance from the destination, so that no cycle of waiting packets can form.
type slimFlyLeg struct {
	tables   *topology.SlimFlyWays
	net      *topology.SlimFly
	farthest uint16 // hops of the longest route
}

var _ = register(func(f *topology.SlimFly, _ Ends) (Leg, error) { return newSlimFlyLeg(f), nil })

func newSlimFlyLeg(f *topology.SlimFly) *slimFlyLeg {
	l := &slimFlyLeg{tables: f.Ways(), net: f}
	if f.Hosts() > 0 {
		l.farthest = 2
	}
	return l
}

func (l *slimFlyLeg) Classes() int { return max(int(l.farthest), 1) }

func (l *slimFlyLeg) Distance(at, to int32) int { return l.net.Hops(int(at), int(to)) }

// class returns the channel class of a hop with so many hops to go.
func (l *slimFlyLeg) class(hops uint16) uint16 { return l.farthest - min(hops, l.farthest) }

func (l *slimFlyLeg) Next(at, to int32, flow uint64) Hop {
	w := l.tables.Between(at, to)
	port := w.One
	switch {
	case len(w.Over) > 0:
		port = w.Over[headers.Pick(flow, at, len(w.Over))]
	case w.Two != topology.NoPort && headers.Pick(flow, at, 2) == 1:
		port = w.Two
	}
	return Hop{Port: port, Class: l.class(w.Hops)}
}

func (l *slimFlyLeg) Ways(at, to int32, list []Candidate) []Candidate {
	w := l.tables.Between(at, to)
	class := l.class(w.Hops)
	if len(w.Over) > 0 {
		for _, port := range w.Over {
			list = append(list, Candidate{Port: port, VC: class})
		}
		return list
	}
	list = append(list, Candidate{Port: w.One, VC: class})
	if w.Two != topology.NoPort {
		list = append(list, Candidate{Port: w.Two, VC: class})
	}
	return list
}
