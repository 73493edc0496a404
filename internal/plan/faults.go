package plan

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/units"
	"fabricast/routing"
	"fabricast/topology"
)

// never is the end of an outage that lasts until the end of the run.
const never = units.Time(math.MaxInt64)

// Outage is a period in which some links, or one direction of a link, are down or slower, or in which a
// host is down.
type Outage struct {
	Name string // such as "link 3-17"
	From units.Time
	To   units.Time     // math.MaxInt64: until the end
	Rate units.Fraction // share of the bandwidth that is left; 0: down

	// Avoided is when packets begin to be sent by tables without its links, or from when adaptive
	// routing avoids them; math.MaxInt64: never.
	Avoided units.Time

	announced *units.Time
	ports     []int32 // global IDs of the ports whose outward direction is affected
	nics      []int32 // NICs whose direction to their routers is affected
	host      int32   // the host that is down; -1: none
	refuse    func(found, expected, hint string) error
}

// Ends reports whether the outage ends during the run.
func (o *Outage) Ends() bool { return o.To != never }

// DownAtEnd lists the links and switches that fail and stay down, and since when.
func (p *Plan) DownAtEnd() (list []string) {
	for i := range p.Outages {
		if o := &p.Outages[i]; o.Rate == 0 && !o.Ends() {
			list = append(list, o.Name+" "+o.period())
		}
	}
	return list
}

// Settled returns the time of the last change that faults make; false unless something stays down then.
func (p *Plan) Settled() (last units.Time, down bool) {
	for i := range p.Outages {
		o := &p.Outages[i]
		last, down = max(last, o.From), down || o.Rate == 0 && !o.Ends()
		if o.Ends() {
			last = max(last, o.To)
		}
	}
	return last, down
}

// active reports whether the outage lasts at a time.
func (o *Outage) active(at units.Time) bool { return o.From <= at && at < o.To }

// addFaults gives a network the doors of an experiment with faults, and returns the outages, in order of
// time. base is the routing without faults.
func addFaults(
	spec *fabric.Spec, e *experiment.Resolved, t topology.Topology, base routing.Algorithm, classes []LinkClass,
) ([]Outage, error) {
	outages, err := allOutages(e, t)
	if err != nil {
		return nil, err
	}
	events, err := portEvents(e, t.Graph(), outages, classes)
	if err != nil {
		return nil, err
	}
	spec.Doors = &fabric.Doors{
		Events: events, Retry: e.Faults.Packets == experiment.PacketsRetry, Timeout: e.Faults.Timeout,
	}
	if adaptive, ok := base.(routing.Adaptive); ok {
		spec.Adaptive, spec.Doors.Epochs, err = makeAdaptiveEpochs(e, t, adaptive, outages)
	} else {
		spec.Doors.Epochs, err = makeEpochs(e, t, base, outages)
	}
	return outages, err
}

// allOutages returns the outages of an experiment, in order of time.
func allOutages(e *experiment.Resolved, t topology.Topology) ([]Outage, error) {
	outages, err := statedOutages(e, t)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(refuseOverlaps(outages), refuseTraffic(e, outages)); err != nil {
		return nil, err
	}
	drawn, err := drawOutages(e, t)
	if err != nil {
		return nil, err
	}
	outages = append(outages, drawn...)
	slices.SortStableFunc(outages, func(a, b Outage) int { return cmp.Compare(a.From, b.From) })
	return outages, refuseCut(t, outages)
}

// WithFaults returns the plan of an experiment that expects faults (experiment.Resolved.ExpectingFaults)
// with some of them. Its states have the same form. It returns the errors of Build.
func (p *Plan) WithFaults(list []experiment.Fault) (*Plan, error) {
	e := p.Experiment.WithFaults(list)
	classes, err := LinkClasses(e, p.Topology)
	if err != nil {
		return nil, err
	}
	if e.Network.Ethernet() {
		with := p.For(e)
		return with, with.addEthernetFaults(e, classes)
	}
	base := routing.Algorithm(p.Fabric.Adaptive)
	if p.Fabric.Adaptive == nil {
		base = p.Fabric.Routing
	}
	with := p.For(e)
	with.Outages, err = addFaults(&with.Fabric, e, p.Topology, base, classes)
	if err == nil {
		with.Fabric.Doors.BitErrors = p.BitErrors
	}
	return with, err
}

// statedOutages returns the outages in the experiment and in its file of faults.
func statedOutages(e *experiment.Resolved, t topology.Topology) ([]Outage, error) {
	var outages []Outage
	for i := range e.Faults.Events {
		path := fmt.Sprintf("faults.events[%d]", i)
		o, err := newOutage(t, &e.Faults.Events[i], func(field, found, expected, hint string) error {
			return e.Refuse(strings.TrimSuffix(path+"."+field, "."), found, expected, hint)
		})
		if err != nil {
			return nil, err
		}
		outages = append(outages, o)
	}
	if e.Faults.File == "" {
		return outages, nil
	}
	read, err := readFaults(e, t)
	return append(outages, read...), err
}

// refusal makes an error for a field of a fault, or for the whole fault if the field is empty.
type refusal func(field, found, expected, hint string) error

// newOutage finds what a fault affects.
func newOutage(
	t topology.Topology, f *experiment.Fault, refuse refusal,
) (Outage, error) {
	o := Outage{
		Name: f.Part(), From: f.From, To: f.To, Rate: f.Rate, Avoided: never, announced: f.Announced, host: -1,
		refuse: func(found, expected, hint string) error { return refuse("", found, expected, hint) },
	}
	if f.To == 0 {
		o.To = never
	}
	switch {
	case f.Switch != "":
		r := findRouter(t, f.Switch)
		if r < 0 {
			return o, refuse("switch", f.Switch, "the number or name of a router", routerNames(t))
		}
		o.addRouter(t.Graph(), r)
		return o, nil
	case f.Plane != "":
		return o, o.addPlane(t, f.Plane, refuse)
	case f.NIC != "" || f.Host != "":
		return o, o.addHost(t.Graph(), f, refuse)
	}
	return o, o.addLinks(t, f, refuse)
}

// addLinks adds the links that a fault names by two routers, or one direction of them.
func (o *Outage) addLinks(t topology.Topology, f *experiment.Fault, refuse refusal) error {
	g := t.Graph()
	a, b, found := twoRouters(t, f.Link, '-')
	both := found
	if !found {
		a, b, found = twoRouters(t, f.Link, '>')
	}
	if !found {
		return refuse(
			"link", f.Link, "two routers, such as 0-1, or 0>1 for one direction", routerNames(t),
		)
	}
	for port := g.PortBase[a]; port < g.PortBase[a+1]; port++ {
		if g.PeerRouter(int(port)) == b && (both || !g.Ports[port].Closed) {
			o.add(g, port, both)
		}
	}
	if len(o.ports) == 0 {
		return refuse("link", f.Link, "two routers that are joined by a link", nextTo(t, a))
	}
	return nil
}

// add adds a port, and with both the other end of its link. It ignores open ports.
func (o *Outage) add(g *topology.Graph, port int32, both bool) {
	peer := g.Ports[port].Peer
	if peer == topology.Unconnected && g.Ports[port].NIC == topology.Unconnected {
		return
	}
	o.ports = append(o.ports, port)
	if both && peer != topology.Unconnected {
		o.ports = append(o.ports, peer)
	}
}

// addRouter adds all links of a router.
func (o *Outage) addRouter(g *topology.Graph, r int) {
	for port := g.PortBase[r]; port < g.PortBase[r+1]; port++ {
		o.add(g, port, true)
	}
}

// routerNames gives an example of a router's name and number, for the hint of an error message.
func routerNames(t topology.Topology) string {
	last := t.Graph().Routers - 1
	return fmt.Sprintf("routers are 0 to %d, and have names from %s to %s", last, t.RouterName(0), t.RouterName(last))
}

// refuseOverlaps returns an error if two outages of one port overlap.
func refuseOverlaps(outages []Outage) error {
	byPort := map[int32][]int{}
	for i := range outages {
		for _, port := range outages[i].directions() {
			for _, other := range byPort[port] {
				a, b := &outages[other], &outages[i]
				if a.From < b.To && b.From < a.To {
					return b.refuse(
						b.Name+" "+b.period(), "faults of a link that do not overlap",
						"it overlaps with "+a.Name+" "+a.period(),
					)
				}
			}
			byPort[port] = append(byPort[port], i)
		}
	}
	return nil
}

// directions returns numbers of the directions of links that are affected: those of ports, and below 0
// those of NICs.
func (o *Outage) directions() []int32 {
	list := slices.Clone(o.ports)
	for _, nic := range o.nics {
		list = append(list, ^nic)
	}
	return list
}

// period describes when the outage lasts.
func (o *Outage) period() string {
	if !o.Ends() {
		return "from " + o.From.String() + " on"
	}
	return "from " + o.From.String() + " to " + o.To.String()
}

// refuseCut returns an error about the first outage with which what is down at time 0 separates hosts
// from others.
func refuseCut(t topology.Topology, outages []Outage) error {
	g := t.Graph()
	var atOnce []*Outage
	for i := range outages {
		if o := &outages[i]; o.From == 0 && o.Rate == 0 {
			atOnce = append(atOnce, o)
		}
	}
	first := sort.Search(len(atOnce), func(i int) bool { return separated(g, atOnce[:i+1]) != "" })
	if first == len(atOnce) {
		return nil
	}
	o := atOnce[first]
	return o.refuse(
		o.Name+" down from the start", "faults that leave all hosts connected", separated(g, atOnce[:first+1]),
	)
}

// separated says which host others cannot reach while outages last; "" if there is none.
func separated(g *topology.Graph, outages []*Outage) string {
	down := map[int32]bool{}
	for _, o := range outages {
		for _, nic := range o.nics {
			return fmt.Sprintf("no way leads from host %d", int(nic)/g.NICsPerHost)
		}
		for _, port := range o.ports {
			if nic := g.Ports[port].NIC; nic != topology.Unconnected {
				return fmt.Sprintf("host %d is at this switch", int(nic)/g.NICsPerHost)
			}
			down[port] = true
		}
	}
	reached := topology.NewDistances(without(g, func(port int32) bool { return down[port] })).From(g.HostRouter(0))
	for host := range g.Hosts {
		if reached[g.HostRouter(host)] < 0 {
			return fmt.Sprintf("there is no way from host 0 to host %d", host)
		}
	}
	return ""
}
