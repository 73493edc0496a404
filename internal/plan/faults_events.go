package plan

import (
	"maps"
	"math/bits"
	"slices"

	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/units"
	"fabricast/topology"
)

// portEvents returns the changes of ports and NICs that outages make. Outages may overlap: a port is down as
// long as one of them says so, and otherwise has the lowest of their rates.
func portEvents(
	e *experiment.Resolved, g *topology.Graph, outages []Outage, classes []LinkClass,
) ([]fabric.Event, error) {
	byDirection := map[int32][]*Outage{}
	for i := range outages {
		for _, d := range outages[i].directions() {
			byDirection[d] = append(byDirection[d], &outages[i])
		}
	}
	var events []fabric.Event
	for _, d := range slices.Sorted(maps.Keys(byDirection)) {
		on, port := fabric.Event{OneWay: true}, d
		if d < 0 {
			on, port = fabric.Event{FromNIC: true}, g.NICPort[^d]
		}
		full := classes[g.Ports[port].Link].Bandwidth
		for _, o := range byDirection[d] {
			if err := checkRate(e, o, full); err != nil {
				return nil, err
			}
		}
		router, local := g.Local(int(port))
		on.Router, on.Port = int32(router), int32(local)
		events = appendChanges(events, on, byDirection[d], full)
	}
	return events, nil
}

// appendChanges appends the changes of one port, whose bandwidth is full, to events. on is an event of
// the port. A rate that differs when a port comes up is set 1 ps before, as a port has one event at a
// time; outages last longer than that.
func appendChanges(events []fabric.Event, on fabric.Event, outages []*Outage, full units.Rate) []fabric.Event {
	add := func(at units.Time, kind fabric.EventKind, share units.Fraction) {
		on.At, on.Kind, on.Rate = at, kind, 0
		if kind == fabric.SetRate && share < units.Whole {
			on.Rate = reduced(full, share)
		}
		events = append(events, on)
	}
	down, rate := false, units.Whole
	for _, at := range changes(outages) {
		fails, share := false, units.Whole
		for _, o := range outages {
			switch {
			case !o.active(at):
			case o.Rate == 0:
				fails = true
			default:
				share = min(share, o.Rate)
			}
		}
		switch {
		case fails && !down:
			add(at, fabric.Down, 0)
		case fails:
		case down:
			if share != rate {
				add(at-1, fabric.SetRate, share)
			}
			add(at, fabric.Up, 0)
			rate = share
		case share != rate:
			add(at, fabric.SetRate, share)
			rate = share
		}
		down = fails
	}
	return events
}

// changes returns the times at which outages begin or end, in ascending order.
func changes(outages []*Outage) []units.Time {
	var times []units.Time
	for _, o := range outages {
		times = append(times, o.From)
		if o.Ends() {
			times = append(times, o.To)
		}
	}
	slices.Sort(times)
	return slices.Compact(times)
}

// reduced returns a share of a bandwidth, in whole bytes per second.
func reduced(full units.Rate, share units.Fraction) units.Rate {
	hi, lo := bits.Mul64(uint64(full), uint64(share))
	q, _ := bits.Div64(hi, lo, uint64(units.Whole))
	return units.Rate(q)
}
