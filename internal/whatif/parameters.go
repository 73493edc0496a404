package whatif

import (
	"maps"
	"slices"

	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/plan"
	"fabricast/internal/units"
	"fabricast/internal/why"
	"fabricast/topology"
)

// parameter is a field of experiments that the time of a path depends on.
type parameter struct {
	name     string
	unit     string // what the path counts
	software bool
	time     *units.Time // the field, in the experiment that is changed
	rate     *units.Rate
	perByte  *units.PerByte
	class    int // of network.links.NAME; -1: the field is another one
}

// Units of what a path counts.
const (
	unitLinks    = "links"
	unitRouters  = "routers"
	unitMessages = "messages"
	unitCalls    = "calls"
	unitBytes    = "bytes"
	unitTime     = "ps"
)

// parameters lists the fields of e, a copy of the plan's experiment, that the time may depend on.
func parameters(p *plan.Plan, e *experiment.Experiment) []parameter {
	n, node := &e.Network, &e.Node
	time := func(name, unit string, field *units.Time, software bool) parameter {
		return parameter{name: name, unit: unit, time: field, software: software, class: -1}
	}
	rate := func(name string, field *units.Rate, software bool) parameter {
		return parameter{name: name, unit: unitBytes, rate: field, software: software, class: -1}
	}
	list := []parameter{
		time("node.overhead", unitCalls, &node.Overhead, true),
		time("node.protocol.setup", unitCalls, &node.Protocol.Setup, true),
		rate("node.memory", &node.Memory, true),
		rate("node.intra.bandwidth", &node.Intra.Bandwidth, true),
		time("node.intra.latency", unitCalls, &node.Intra.Latency, false),
	}
	if n.Routerless() {
		return append(list, idealParameters(n)...)
	}
	list = append(
		list,
		rate("network.link.bandwidth", &n.Link.Bandwidth, false),
		time("network.link.latency", unitLinks, &n.Link.Latency, false),
		rate("network.host_link.bandwidth", &n.HostLink.Bandwidth, false),
		time("network.host_link.latency", unitLinks, &n.HostLink.Latency, false),
		time("network.router.routing", unitRouters, &n.Router.Routing, false),
		time("network.router.vc_allocation", unitRouters, &n.Router.VCAllocation, false),
		time("network.router.switch_allocation", unitRouters, &n.Router.SwitchAllocation, false),
		time("network.router.switch_traversal", unitRouters, &n.Router.SwitchTraversal, false),
		time("network.router.latency", unitRouters, &n.Router.Latency, false),
		rate("network.router.bandwidth", &n.Router.Bandwidth, false),
		rate("node.dma", &node.DMA, false),
	)
	if bus := &node.IOBus; bus.Bandwidth > 0 {
		list = append(list, rate("node.io_bus.bandwidth", &bus.Bandwidth, false),
			time("node.io_bus.latency", unitCalls, &bus.Latency, false))
	}
	if classes := p.Topology.LinkClasses(); len(classes) > 2 {
		for class, name := range classes {
			if link := p.Fabric.Links[class]; !topology.OfHosts(name) {
				list = append(list,
					parameter{name: "network.links." + name + ".bandwidth", unit: unitBytes, class: class, rate: &link.Bandwidth},
					parameter{name: "network.links." + name + ".latency", unit: unitLinks, class: class, time: &link.Latency})
			}
		}
	}
	return list
}

// Derive computes the derivatives of the time of a path, by parameters of the experiment of the plan.
// A default that follows another field changes with it: host links with links, and crossbars with the
// fastest link.
func Derive(path *why.Path, p *plan.Plan) error {
	r, err := newPricer(path, p)
	if err != nil {
		return err
	}
	path.Contended = r.waits
	list := []why.Derivative{}
	if time := path.TimeOf(why.Compute); time > 0 {
		more, less := r.base, r.base
		more.compute, less.compute = wholeCompute+wholeCompute/100, wholeCompute-wholeCompute/100
		list = append(list, why.Derivative{
			Parameter: why.ParameterCompute, Unit: unitTime, Count: time, Time: time,
			More: r.growth(&more), Less: r.growth(&less), Exact: r.exact(false),
		})
	}
	e := p.Experiment.Experiment
	for _, f := range parameters(p, &e) {
		if d, any := r.derive(&f); any {
			list = append(list, d)
		}
	}
	slices.SortStableFunc(list, func(a, b why.Derivative) int {
		return int(min(1, max(-1, max(abs(b.More), abs(b.Less))-max(abs(a.More), abs(a.Less)))))
	})
	path.Derivatives = list
	return nil
}

// Growth returns by how much (ps) the time of a path differs in another experiment on the network of the
// plan. exact is false if part of it is estimated.
func Growth(path *why.Path, p *plan.Plan, e *experiment.Experiment) (growth int64, exact bool, err error) {
	r, err := newPricer(path, p)
	if err != nil {
		return 0, false, err
	}
	prices := r.pricesOf(&experiment.Resolved{Experiment: *e})
	return r.growth(&prices), r.exact(true) && r.regular(), nil
}

func abs(n int64) int64 { return max(n, -n) }

// derive returns the derivative by a parameter. any is false if the time does not depend on it.
func (r *pricer) derive(f *parameter) (d why.Derivative, any bool) {
	value := f.value()
	if value == 0 {
		return d, false
	}
	growth := func(to int64) int64 {
		p := r.changed(f.name, to)
		return r.growth(&p)
	}
	step := max(1, value/100)
	d = why.Derivative{Parameter: f.name, Unit: f.unit, More: growth(value + step), Less: growth(value - step)}
	switch {
	case f.time != nil:
		d.Count = growth(value + 1)
		d.Time = d.Count * value
	case f.perByte != nil:
		d.Count = growth(value + int64(oneMore))
		d.Time = d.Count * value / int64(oneMore)
	default:
		p := r.changed(f.name, value-step)
		d.Count = r.bytes(&p)
		d.Time = int64(plan.TransferTime(units.Bytes(d.Count), units.Rate(value)))
	}
	d.Exact = r.exact(f.software) && r.regular()
	return d, d.More != 0 || d.Less != 0
}

// oneMore is 1 ps for each byte.
const oneMore units.PerByte = 1000

// bytes returns the number of bytes that pass, one after the other, at the rates that differ.
func (r *pricer) bytes(p *prices) (sum int64) {
	for i := range r.path.Segments {
		s := &r.path.Segments[i]
		for k := range s.Flights {
			if r.alone == nil {
				continue
			}
			before, after := r.pass(&s.Flights[k], &r.base), r.pass(&s.Flights[k], p)
			if before.Slowest != after.Slowest {
				sum += int64(before.Wire)
			}
			if p.Memory != r.base.Memory {
				sum += int64(before.Memory)
			}
		}
		if s.Cause == why.SendSoftware || s.Cause == why.ReceiveSoftware {
			if time, known := r.softwareOf(s, p); known && time != s.Time {
				sum += s.Message.Bytes
			}
		}
	}
	return sum
}

// value returns the value of the field.
func (f *parameter) value() int64 {
	switch {
	case f.time != nil:
		return int64(*f.time)
	case f.perByte != nil:
		return int64(*f.perByte)
	}
	return int64(*f.rate)
}

func (f *parameter) set(value int64) {
	switch {
	case f.time != nil:
		*f.time = units.Time(value)
	case f.perByte != nil:
		*f.perByte = units.PerByte(value)
	default:
		*f.rate = units.Rate(value)
	}
}

// Change gives a parameter of an experiment another value: a copy of the experiment of a plan. Fields
// that have the values of their defaults follow: the links of hosts, the crossbar, copies between
// ranks of a host.
func Change(p *plan.Plan, e *experiment.Experiment, name string, to func(int64) int64) {
	list := parameters(p, e)
	f := list[slices.IndexFunc(list, func(f parameter) bool { return f.name == name })]
	before := *e
	f.set(to(f.value()))
	switch n, old := &e.Network, &before.Network; {
	case name == "network.link.bandwidth" && old.HostLink.Bandwidth == old.Link.Bandwidth:
		n.HostLink.Bandwidth = n.Link.Bandwidth
	case name == "network.link.latency" && old.HostLink.Latency == old.Link.Latency:
		n.HostLink.Latency = n.Link.Latency
	case name == "node.memory" && before.Node.Intra.Bandwidth == before.Node.Memory:
		e.Node.Intra.Bandwidth = e.Node.Memory
	case f.class >= 0:
		n.Links = maps.Clone(n.Links)
		if n.Links == nil {
			n.Links = map[string]experiment.Link{}
		}
		link := experiment.Link{
			Bandwidth: p.Fabric.Links[f.class].Bandwidth, Latency: p.Fabric.Links[f.class].Latency,
		}
		if f.time != nil {
			link.Latency = *f.time
		} else {
			link.Bandwidth = *f.rate
		}
		n.Links[p.Classes[f.class]] = link
	}
	if f.rate != nil && name != "network.router.bandwidth" && before.Network.Router.Bandwidth == fastest(p.Fabric.Links) {
		e.Network.Router.Bandwidth = fastest(links(p, e))
	}
}

func fastest(links []fabric.Link) (rate units.Rate) {
	for i := range links {
		rate = max(rate, links[i].Bandwidth)
	}
	return rate
}

// changed returns the prices with another value of a parameter.
func (r *pricer) changed(name string, value int64) prices {
	e := r.plan.Experiment.Experiment
	Change(r.plan, &e, name, func(int64) int64 { return value })
	return r.pricesOf(&experiment.Resolved{Experiment: e})
}

// pricesOf returns the prices of an experiment on the plan's network.
func (r *pricer) pricesOf(e *experiment.Resolved) prices {
	p := prices{
		overhead: e.Node.Overhead, setup: e.Node.Protocol.Setup, copies: e.Node.Memory, intra: e.Node.Intra,
		compute: wholeCompute, ideal: ideal(&e.Network),
	}
	if o := e.Network.Parameters.Overhead; o != nil && e.Network.Routerless() {
		p.overhead = *o
	}
	if r.alone != nil {
		p.Links = links(r.plan, &e.Experiment)
		p.Router, p.Crossbar = e.RouterDelay(), e.Network.Router.Bandwidth
		p.Memory, p.Buses = e.MemoryRate(), 2*e.Node.IOBus.Latency
	}
	return p
}

// links returns the parameters of all classes of links in an experiment on the plan's network.
func links(p *plan.Plan, e *experiment.Experiment) []fabric.Link {
	list := slices.Clone(p.Fabric.Links)
	if p.Topology == nil {
		return list
	}
	for class, name := range p.Topology.LinkClasses() {
		link, _ := e.Class(name)
		list[class] = fabric.Link{Bandwidth: link.Bandwidth, Latency: link.Latency}
	}
	return list
}
