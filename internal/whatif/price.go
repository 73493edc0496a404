package whatif

import (
	"fabricast/experiment"
	"fabricast/internal/plan"
	"fabricast/internal/predict"
	"fabricast/internal/units"
	"fabricast/internal/why"
)

// prices are the parameters on which the time of a path depends.
type prices struct {
	predict.Prices
	overhead units.Time
	setup    units.Time
	copies   units.Rate // within memory
	intra    experiment.Intra
	compute  int64 // thousandths of the computation

	ideal *experiment.Network // of a model without routers; nil: the network is another
}

// pricer computes the time of a path under changed parameters.
type pricer struct {
	path  *why.Path
	plan  *plan.Plan
	alone *predict.Alone // nil: the network has no packets
	base  prices
	ways  map[[2]int32]*predict.Way

	// Of the path's time (ps) the following is not computed from parameters.
	waits    int64 // messages wait for others, or for NICs
	software int64
}

// wholeCompute is prices.compute without a change.
const wholeCompute = 1000

func newPricer(path *why.Path, p *plan.Plan) (*pricer, error) {
	r := &pricer{path: path, plan: p, ways: map[[2]int32]*predict.Way{}}
	if !p.Experiment.Network.Routerless() {
		r.alone = predict.NewAlone(p)
	}
	r.base = r.pricesOf(p.Experiment)
	for i := range path.Segments {
		if err := r.inspect(&path.Segments[i]); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// inspect follows the routes of a segment's messages, and finds how much of its time is not
// computed from parameters.
func (r *pricer) inspect(s *why.Segment) error {
	switch s.Cause {
	case why.Compute, why.Start:
	case why.SendSoftware, why.ReceiveSoftware:
		if _, known := r.softwareOf(s, &r.base); !known {
			r.software += s.Time
		}
	case why.Local:
		if s.Time != int64(r.base.intra.Latency) {
			r.waits += s.Time
		}
	default:
		known, _ := idealTime(r.base.ideal, s)
		for i := range s.Flights {
			f := &s.Flights[i]
			if r.alone == nil {
				break
			}
			if err := r.route(f); err != nil {
				return err
			}
			known += int64(r.pass(f, &r.base).Latency)
		}
		if known > s.Time { // the closed form does not hold
			r.waits += known - s.Time
		}
		r.waits += max(0, s.Time-known)
	}
	return nil
}

func (r *pricer) route(f *why.Flight) error {
	key := [2]int32{f.Source, f.Destination}
	if r.ways[key] != nil {
		return nil
	}
	way, err := r.alone.Way(f.Source, f.Destination)
	r.ways[key] = &way
	return err
}

func (r *pricer) pass(f *why.Flight, p *prices) predict.Passing {
	return r.alone.Pass(r.ways[[2]int32{f.Source, f.Destination}], f.Bytes, &p.Prices)
}

// growth returns by how much (ps) the time of the path differs with other parameters. Waits are
// estimated to change as the time of a packet does.
func (r *pricer) growth(p *prices) int64 {
	sum, rest := int64(0), int64(0)
	for i := range r.path.Segments {
		s := &r.path.Segments[i]
		switch s.Cause {
		case why.Compute:
			sum += s.Time * (p.compute - wholeCompute) / wholeCompute
		case why.Start, why.Noise, why.Traffic, why.Polling:
		case why.SendSoftware, why.ReceiveSoftware:
			if time, known := r.softwareOf(s, p); known {
				sum += time - s.Time
			}
		case why.Local:
			if s.Time == int64(r.base.intra.Latency) {
				sum += int64(p.intra.Latency) - s.Time
			}
		default:
			left := s.Time
			if before, known := idealTime(r.base.ideal, s); known && before <= s.Time && p.ideal != nil {
				after, _ := idealTime(p.ideal, s)
				sum += after - before
			}
			for i := range s.Flights {
				if r.alone != nil {
					before := int64(r.pass(&s.Flights[i], &r.base).Latency)
					sum += int64(r.pass(&s.Flights[i], p).Latency) - before
					left -= before
				}
			}
			rest += max(0, left)
		}
	}
	if before, after := r.packet(&r.base), r.packet(p); before > 0 && rest > 0 && before != after {
		sum += int64(float64(rest) * float64(after-before) / float64(before))
	}
	return sum
}

// packet returns the time from packet to packet of a NIC that sends full ones.
func (r *pricer) packet(p *prices) units.Time {
	if r.alone == nil {
		return 0
	}
	packet := &r.plan.Fabric.Packet
	rate := min(p.Crossbar, p.Links[hostLink(r.plan)].Bandwidth)
	return max(
		plan.TransferTime(units.Bytes(packet.Wire(packet.Payload())), rate),
		plan.TransferTime(units.Bytes(packet.Payload()), p.Memory),
	)
}

// hostLink returns the class of the first NIC's link.
func hostLink(p *plan.Plan) uint16 {
	g := p.Fabric.Graph
	return g.Ports[g.NICPort[0]].Link
}

// softwareOf returns the software time (ps) of a segment. known is false if the terms that it
// consists of cannot be told from its duration.
func (r *pricer) softwareOf(s *why.Segment, p *prices) (time int64, known bool) {
	m := s.Message
	if m == nil {
		if r.base.setup > 0 && s.Time%int64(r.base.setup) == 0 {
			return s.Time / int64(r.base.setup) * int64(p.setup), true
		}
		return 0, false
	}
	size := units.Bytes(m.Bytes)
	within := func(p *prices) units.Time {
		if m.Number != 0 {
			return plan.TransferTime(size, p.copies)
		} else if m.Source == m.Destination {
			return plan.TransferTime(size, p.copies)
		}
		return plan.TransferTime(size, p.intra.Bandwidth)
	}
	for _, terms := range [...]func(p *prices) units.Time{
		func(p *prices) units.Time { return p.overhead },
		func(p *prices) units.Time { return p.overhead + within(p) },
		func(p *prices) units.Time { return p.overhead + p.setup },
		func(p *prices) units.Time { return p.overhead + p.setup + within(p) },
		func(p *prices) units.Time { sends, _ := handling(p.ideal, size); return p.overhead + sends },
		func(p *prices) units.Time { _, receives := handling(p.ideal, size); return p.overhead + receives },
	} {
		if int64(terms(&r.base)) == s.Time {
			return int64(terms(p)), true
		}
	}
	return 0, false
}

// exact reports whether all that the path consists of, or all but software, is computed from
// parameters.
func (r *pricer) exact(software bool) bool {
	if r.waits > 0 || software && r.software > 0 ||
		r.alone != nil && !r.alone.Fixed() && !r.alone.Alike() {
		return false
	}
	for _, s := range r.path.Causes {
		switch s.Cause {
		case why.Noise, why.Polling, why.Traffic, why.NICTurn, why.Unknown:
			return false
		case why.Start:
			if r.plan.Experiment.Baseline() != nil {
				return false // starts are shares of the time of a run
			}
		}
	}
	return true
}

// regular reports whether no route of the path has links with an entry of their own in
// network.links, whose classes are not those of the topology.
func (r *pricer) regular() bool {
	if r.alone == nil {
		return true
	}
	own := uint16(len(r.plan.Topology.LinkClasses()))
	for _, way := range r.ways {
		for _, class := range way.Links {
			if class >= own {
				return false
			}
		}
	}
	return true
}
