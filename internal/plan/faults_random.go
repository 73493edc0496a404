package plan

import (
	"fmt"
	"math/bits"

	"fabricast/experiment"
	"fabricast/internal/dist"
	"fabricast/internal/random"
	"fabricast/internal/units"
	"fabricast/topology"
)

// month is the time in which faults.random.rate counts failures: 30 days.
const month = 30 * 24 * 3600 * units.Second

// seedOfFaults separates the random numbers of faults from those of other uses of the seed.
const seedOfFaults = 0x6661756c74

// drawOutages draws the outages of each link between two routers: times in service and in repair
// are exponentially distributed, and depend only on the seed and the number of the link.
func drawOutages(e *experiment.Resolved, t topology.Topology) ([]Outage, error) {
	r := e.Faults.Random
	if r.Rate == 0 {
		return nil, nil
	}
	g := t.Graph()
	var outages []Outage
	for port := range int32(len(g.Ports)) {
		peer := g.Ports[port].Peer
		if peer < port { // seen from the other end, or no link between routers
			continue
		}
		state := random.Scramble(random.Scramble(e.Seed^seedOfFaults) + uint64(port))
		draw := func(mean units.Time, rate units.Fraction) units.Time {
			state = random.Scramble(state)
			return exponential(state|1, mean, rate)
		}
		name := fmt.Sprintf("link %d-%d", g.Ports[port].Router, g.Ports[peer].Router)
		for at := units.Time(0); ; {
			if at += draw(month, r.Rate); at >= r.Until || at < 0 {
				break
			}
			if len(outages) == experiment.MaxFaults {
				return nil, e.Refuse(
					"faults.random.rate", fmt.Sprintf("%s, so that there are more than %d faults until %s", r.Rate, len(outages), r.Until),
					"a lower rate, or an earlier faults.random.until", "",
				)
			}
			o := Outage{Name: name, host: -1, Avoided: never, From: at, To: at + draw(r.Repair, units.Whole), ports: []int32{port, peer}}
			o.refuse = func(found, expected, hint string) error { return e.Refuse("faults.random", found, expected, hint) }
			outages = append(outages, o)
			at = o.To
		}
	}
	return outages, nil
}

// exponential returns an exponentially distributed time of mean `mean` divided by rate, for a random
// number u > 0, in whole ns, at least 1 ns, and at most 2^62 ps.
func exponential(u uint64, mean units.Time, rate units.Fraction) units.Time {
	const most = 1 << 62
	hi, lo := bits.Mul64(uint64(mean), uint64(max(0, dist.NegLog(u)))) // rounded, it may be below 0
	scaled := hi<<(64-dist.Bits) | lo>>dist.Bits                       // below 2^63 * 45 / 2^40
	if hi>>dist.Bits != 0 {
		return most
	}
	hi, lo = bits.Mul64(scaled, uint64(units.Whole))
	if hi >= uint64(rate) {
		return most
	}
	q, _ := bits.Div64(hi, lo, uint64(rate))
	return max(units.Time(min(q, most))/units.Nanosecond, 1) * units.Nanosecond
}
