package pacing

import (
	"fabricast/collective"
	"fabricast/internal/cluster"
)

// paced is the state of a Pacer that a process sends to other processes.
type paced struct {
	Patterns map[print]Paced
	Unpaced  map[collective.Kind][]string
}

// Share merges the summaries of the Pacers of all processes, so that each process has the summary
// of the whole run. A pattern used by ranks of several processes counts once. Its schedule depends
// only on the hosts of the communicator's ranks, and thus is the same in all of them. All processes
// must call Share, and no rank may be running. A nil Pacer shares nothing.
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
