package switched

import (
	"cmp"
	"slices"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/stage"
	"fabricast/fabric/model"
	"fabricast/internal/random"
)

// outage is a time (ps) in which a link is down.
type outage struct{ from, to int64 }

// findOutages returns the outages of the block's ports that end, in order of time, if packets that these
// hit are sent again (model.Doors.Retry); else nil.
func (d *Doors) findOutages() map[uint32][]outage {
	if !d.Retry {
		return nil
	}
	changes := slices.Clone(d.b.Changes)
	slices.SortFunc(changes, func(a, b core.PortChange) int { return cmp.Compare(a.At, b.At) })
	down, found := map[uint32]int64{}, map[uint32][]outage{}
	for _, c := range changes {
		since, isDown := down[c.Port]
		switch {
		case c.FromNIC:
		case c.Kind == model.Down && !isDown:
			down[c.Port] = c.At
		case c.Kind == model.Up && isDown:
			found[c.Port] = append(found[c.Port], outage{since, c.At})
			delete(down, c.Port)
		}
	}
	return found
}

// retried returns when a packet that starts now toward a port of the active router begins to be sent for
// the last time, and when its tail leaves then. Without a retry that is now, and `leave` (ps). took is the
// time of the packet at the rate of the link. First come bit errors; an outage may then hit the last copy.
func (d *Doors) retried(port uint32, c *stage.CrossbarPort, flits, took, leave int64) (begin, tail int64) {
	begin = d.b.Events.Now
	class := d.b.Classes.At(uint32(c.Class))
	if d.b.Errors != nil {
		errors := d.b.Errors[d.g.R.FirstPort+port]
		bits := 8 * uint64(flits*d.b.Spec.Packet.Flit)
		u := random.Scramble(errors.Key + c.Packets)
		for ; random.Corrupts(u, errors.Rate, bits); u = random.Scramble(u) {
			d.b.Counters.Retried++
			begin = leave + 2*class.Credit
			leave = begin + took
		}
	}
	for _, o := range d.outages[d.g.R.FirstPort+port] {
		if o.to > begin && o.from < leave+class.Tail {
			d.b.Counters.Retried++
			begin = o.to + 2*class.Credit
			leave = max(begin+took, leave) // not before the tail has come
		}
	}
	return begin, leave
}
