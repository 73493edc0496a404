package pacing

import (
	"fabricast/collective"
	"fabricast/internal/cluster"
)

// paced is the state of a Pacer that a process sends to the others.
type paced struct {
	Patterns map[print]Paced
	Unpaced  map[collective.Kind][]string
}

// Share makes each process know how calls have been paced in all, each of which has a Pacer of its
// own: schedules depend on the hosts of a communicator's ranks alone, so that all find the same. A
// pattern of which ranks of several processes call counts once. All processes must call Share, and
// no rank may be running. A nil Pacer shares nothing.
func (p *Pacer) Share(g cluster.Group) {
	if p == nil || !cluster.Several(g) {
		return
	}
	own := paced{map[print]Paced{}, map[collective.Kind][]string{}}
	for c, one := range p.counted {
		own.Patterns[c] = *one
	}
	for kind, t := range p.told {
		own.Unpaced[kind] = t.Unpaced
	}
	for _, other := range cluster.GatherValues(g, own) {
		for c, one := range other.Patterns {
			p.count(c, &one)
		}
		for kind, list := range other.Unpaced {
			for _, why := range list {
				p.Unpaced(kind, why)
			}
		}
	}
}
