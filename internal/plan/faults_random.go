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

// drawOutages draws the outages of each link between two routers. Times in service and in repair
// depend only on the seed and the number of the link.
func drawOutages(e *experiment.Resolved, t topology.Topology) ([]Outage, error) {
	r := &e.Faults.Random
	if !r.Given() {
		return nil, nil
	}
	table, err := readOutages(e)
	if err != nil {
		return nil, err
	}
	g := t.Graph()
	var outages []Outage
	for port := range int32(len(g.Ports)) {
		peer := g.Ports[port].Peer
		if peer < port { // seen from the other end, or no link between routers
			continue
		}
		law := outageLaw{r, table, random.Scramble(random.Scramble(e.Seed^seedOfFaults) + uint64(port))}
		name := fmt.Sprintf("link %d-%d", g.Ports[port].Router, g.Ports[peer].Router)
		for at := units.Time(0); ; {
			service, repair := law.draw()
			if at += service; at >= r.Until || at < 0 {
				break
			}
			if len(outages) == experiment.MaxFaults {
				return nil, tooManyOutages(e)
			}
			o := Outage{Name: name, host: -1, Avoided: never, From: at, To: at + repair, ports: []int32{port, peer}}
			o.refuse = func(found, expected, hint string) error { return e.Refuse("faults.random", found, expected, hint) }
			outages = append(outages, o)
			at = o.To
		}
	}
	return outages, nil
}

// tooManyOutages refuses random faults of which there are more than an experiment may have.
func tooManyOutages(e *experiment.Resolved) error {
	r := &e.Faults.Random
	field, found, expected := "faults.random.rate", r.Rate.String(), "a lower rate"
	if r.File != "" {
		field, found, expected = "faults.random.file", r.File, "longer times in service"
	}
	return e.Refuse(
		field, fmt.Sprintf("%s, so that there are more than %d faults until %s", found, experiment.MaxFaults, r.Until),
		expected+", or an earlier faults.random.until", "",
	)
}

// outageLaw draws how long a link is in service, and then in repair.
type outageLaw struct {
	spec  *experiment.RandomFaults
	table []lifetime // nil: times are exponentially distributed
	state uint64     // random
}

func (l *outageLaw) draw() (service, repair units.Time) {
	if l.table == nil {
		service = exponential(l.next()|1, month, l.spec.Rate)
		return service, exponential(l.next()|1, l.spec.Repair, units.Whole)
	}
	i, _ := bits.Mul64(l.next(), uint64(len(l.table)))
	drawn := l.table[i]
	if drawn.repair == 0 {
		drawn.repair = exponential(l.next()|1, l.spec.Repair, units.Whole)
	}
	return drawn.service, drawn.repair
}

func (l *outageLaw) next() uint64 {
	l.state = random.Scramble(l.state)
	return l.state
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
