package whatif

import (
	"fmt"
	"math"

	"fabricast/experiment"
	"fabricast/internal/plan"
	"fabricast/internal/units"
	"fabricast/internal/why"
	"fabricast/record"
)

// Ranges adds to each exact derivative of a path the values between which it holds for certain:
// what ranks do and which messages meet stays the same, so the path stays critical, and Growth is
// exact. e is the experiment with its program; nil if that is not known.
//
// The argument is the same for all parameters. A value changes the durations that depend on it by a
// share, and no other. Let all of them grow by at most the share u. As long as all events that
// concern one rank, one NIC or one link keep their order, each time is a sum of durations along a
// chain of events. So an event at t stays between t and t(1+u), and two events at s < t keep their
// order if s(1+u) < t; if durations shrink, if s < t(1-u). The least such u over all pairs of
// events that meet, and are not each other's cause, is a bound. It may be far below the value at
// which the path changes.
func Ranges(path *why.Path, p *plan.Plan, e *experiment.Experiment, folder *record.Reader) error {
	path.Unranged = unranged(path, p, e, folder)
	if path.Unranged != "" {
		return nil
	}
	r, err := newPricer(path, p)
	if err != nil {
		return err
	}
	if !r.alone.Fixed() {
		path.Unranged = "routes depend on chance or on queues"
		return nil
	}
	o := &order{
		pricer: r, folder: folder, up: mostGrowth, down: mostShrink, hosts: map[int32]*hostEvents{},
	}
	if path.Unranged, err = o.find(); path.Unranged != "" || err != nil {
		return err
	}
	copied := p.Experiment.Experiment
	fields := map[string]parameter{}
	for _, f := range parameters(p, &copied) {
		fields[f.name] = f
	}
	for i := range path.Derivatives {
		d := &path.Derivatives[i]
		if f, known := fields[d.Parameter]; known && d.Exact {
			d.Range = o.rangeOf(&f)
		}
	}
	return nil
}

// Shares of durations beyond which no range is stated.
const (
	mostGrowth = 1.0
	mostShrink = 0.9
)

// unranged says why no range can be told of an experiment; "" if one can.
func unranged(path *why.Path, p *plan.Plan, e *experiment.Experiment, folder *record.Reader) string {
	exact := false
	for _, d := range path.Derivatives {
		exact = exact || d.Exact && d.Parameter != why.ParameterCompute
	}
	n, spec := &p.Experiment.Network, &p.Fabric
	switch {
	case !exact:
		return "no derivative is exact"
	case e == nil || e.Workload.Program == "" || e.OwnProgram():
		return "the program may depend on time"
	case e.HasJobs() || e.HasTraffic():
		return "other jobs or traffic use the network"
	case e.Noise != experiment.Noise{}:
		return "ranks lose time to noise"
	case e.Baseline() != nil:
		return "the imbalance is a share of the predicted time"
	case n.Routerless() || !folder.Has(record.CausesTable):
		return "the network has no packets"
	case spec.Doors != nil || n.Router.OutputBuffer > 0 || n.Router.Turnaround > 0 ||
		n.Router.Allocation != experiment.AllocationCombined,
		e.Node.NICs > 1 || e.Node.IOBus.Bandwidth > 0 ||
			e.Node.Injection != experiment.InjectionRouted ||
			e.Node.Protocol.Notice > 0 || e.Node.Protocol.Peers > 0,
		spec.Gap != 0 || e.Workload.Pacing.Given() || e.Collectives.PacesAny():
		return "NICs or routers work in ways for which no bound is known"
	}
	return ""
}

// before demands that an event stays before another one.
func (o *order) before(s, t int64) {
	gap := float64(t - s - o.rounding - 1)
	if s > 0 {
		o.up = min(o.up, gap/float64(s))
	}
	o.down = min(o.down, gap/float64(t))
}

// rangeOf returns the values of a parameter between which all orders are kept; nil if there is only
// one.
func (o *order) rangeOf(f *parameter) *why.Range {
	value := float64(f.value())
	r := &why.Range{
		Unit: "ps", From: int64(math.Ceil(value * (1 - o.down))), To: int64(value * (1 + o.up)),
	}
	if f.rate != nil {
		r = &why.Range{
			Unit: "bytes/s", From: int64(math.Ceil(value / (1 + o.up))), To: int64(value / (1 - o.down)),
		}
	}
	r.From = o.closest(f, r.From)
	r.To = o.closest(f, r.To)
	if r.From >= f.value() && r.To <= f.value() {
		return nil
	}
	return r
}

// closest returns the value that is the closest to another one, of those up to which the closed
// form for the messages of the path holds.
func (o *order) closest(f *parameter, to int64) int64 {
	for off := to - f.value(); ; off /= 2 {
		prices := o.changed(f.name, f.value()+off)
		if off == 0 || o.streams(&prices) {
			return f.value() + off
		}
	}
}

// streams reports whether the closed form holds for the path's messages of several packets: no
// credit is waited for, and the order of the rates of all stages is what it is in the run.
func (o *order) streams(p *prices) bool {
	packet := &o.plan.Fabric.Packet
	payload := units.Bytes(packet.Payload())
	full := units.Bytes(packet.Wire(int64(payload)))
	for way, size := range o.long {
		before, after := o.stages(way, &o.base), o.stages(way, p)
		for i := range before {
			for k := range i {
				same, still := before[i] == before[k], after[i] == after[k]
				x, y := before[i].time-before[k].time, after[i].time-after[k].time
				if same != still || !same && (max(x, -x) < 2 || max(y, -y) < 2 || (x < 0) != (y < 0)) {
					return false
				}
			}
		}
		buffer := units.Bytes(o.plan.Fabric.Router.Buffer)
		if units.Bytes(size) <= buffer {
			continue
		}
		trip := p.Router + plan.TransferTime(payload, p.Memory)
		for _, class := range o.ways[way].Links {
			trip = max(trip, p.Router+plan.TransferTime(payload, p.Memory)+2*p.Links[class].Latency)
		}
		fastest := after[0].time
		for i := range after {
			fastest = min(fastest, before[i].time, after[i].time)
		}
		if packets := buffer / full; packets <= 1 || units.Time(packets-1)*fastest <= trip {
			return false
		}
	}
	return true
}

// stage is what a full packet passes on its way at a rate.
type stage struct {
	bytes units.Bytes
	rate  units.Rate
	time  units.Time // ps, rounded down
}

// stages returns the stages of a way.
func (o *order) stages(way [2]int32, p *prices) (list []stage) {
	packet := &o.plan.Fabric.Packet
	add := func(bytes int64, rate units.Rate) {
		list = append(list, stage{units.Bytes(bytes), rate, plan.TransferTime(units.Bytes(bytes), rate)})
	}
	full := packet.Wire(packet.Payload())
	add(full, p.Crossbar)
	add(packet.Payload(), p.Memory)
	for _, class := range o.ways[way].Links {
		add(full, p.Links[class].Bandwidth)
	}
	return list
}

// meeting says that two messages may meet.
func meeting(a, b *passage) string {
	return fmt.Sprintf("messages from host %d to host %d and from host %d to host %d may meet",
		a.row.SourceHost, a.row.DestinationHost, b.row.SourceHost, b.row.DestinationHost)
}
