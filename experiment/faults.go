package experiment

import (
	"fmt"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/units"
	"fabricast/routing"
)

// Faults are links and switches that fail, recover or become slower during a run, and how routing
// reacts (docs/faults.md).
type Faults struct {
	Events []Fault      `yaml:"events,omitempty"`
	File   string       `yaml:"file,omitempty"` // more events, one a line
	Random RandomFaults `yaml:"random,omitempty"`
	// BitErrors damage packets on links between routers.
	BitErrors BitErrors `yaml:"bit_errors,omitempty"`
	// Packets is what happens to those under way to a link that goes down: drain, retry or lose.
	Packets string `yaml:"packets,omitempty"`
	// Timeout is the time after which a NIC sends a packet again that a link has lost.
	Timeout units.Time `yaml:"timeout,omitempty"`
	// Reroute is how packets are led without the links that are down: by tables (same, or the name of an
	// algorithm for any network), adaptive, or none.
	Reroute string `yaml:"reroute,omitempty"`
	// Tables change Detection and Update after a link has failed or recovered.
	Detection units.Time `yaml:"detection"`
	Update    units.Time `yaml:"update"`
	// VCs is the number of virtual channels, the last ones of every port, that only packets routed
	// round faults use. With 0 all packets share all.
	VCs int `yaml:"vcs,omitempty"`
}

// Fault is a period in which a link, or all links of a switch, are down or slower, or in which a host
// is down. One of the first five fields says what.
type Fault struct {
	// Link names two routers, such as 3-17, or one direction of what joins them, such as 3>17.
	Link   string         `yaml:"link,omitempty"`
	Switch string         `yaml:"switch,omitempty"` // all its links
	Plane  string         `yaml:"plane,omitempty"`  // all links of the switches of a plane, by number
	NIC    string         `yaml:"nic,omitempty"`    // both directions of its link: NIC i of host h is h * NICs + i
	Host   string         `yaml:"host,omitempty"`   // its NICs send no more, and its ranks stop for good
	From   units.Time     `yaml:"from"`
	To     units.Time     `yaml:"to,omitempty"`   // 0: it lasts until the end
	Rate   units.Fraction `yaml:"rate,omitempty"` // share of the bandwidth that is left; 0: down
	// Announced is when routing knows of it, in place of From + Faults.Detection. Nil: it is not.
	Announced *units.Time `yaml:"announced,omitempty"`
}

// BitErrors are rates of bit errors of links between routers. A network of credits sends a packet that is
// damaged again on the link (go-back-N); a lossy one loses it.
type BitErrors struct {
	Rate  units.ErrorRate `yaml:"rate,omitempty"`  // of all links
	Links []LinkErrors    `yaml:"links,omitempty"` // that have another rate
}

// LinkErrors are the bit errors of the links between two routers, such as 3-17, or of one direction, 3>17.
type LinkErrors struct {
	Link string          `yaml:"link"`
	Rate units.ErrorRate `yaml:"rate"`
}

// Given reports whether there are bit errors.
func (b *BitErrors) Given() bool { return b.Rate != 0 || len(b.Links) > 0 }

// Values of Faults.Packets.
const (
	PacketsDrain = "drain" // they arrive
	PacketsRetry = "retry" // they are lost, and sent again when the link is up
	PacketsLose  = "lose"  // those on it, and those that start on it, are lost, and sent again by their NICs
)

// Values of Faults.Reroute, in addition to names of algorithms.
const (
	RerouteSame     = "same"
	RerouteNone     = "none"
	RerouteAdaptive = "adaptive"
)

// MaxFaults is the largest number of faults of an experiment.
const MaxFaults = 10_000

// leastFault is the shortest time that a fault may last.
const leastFault = units.Nanosecond

// maxFaultTime is the latest time of a fault.
const maxFaultTime = 1_000_000 * units.Second

// reroutes lists the values of Faults.Reroute.
func reroutes() []string {
	return []string{
		RerouteSame, RerouteNone, RerouteAdaptive,
		routing.UpDownOptions{}.Name(), RoutingShortest, routing.DFSSSPOptions{}.Name(),
	}
}

// Given reports whether there may be faults. If only the reaction to them is given, there are none in a
// run, but the network is ready for those of a future of it (Resolved.WithFaults).
func (f *Faults) Given() bool {
	return f.Any() || f.BitErrors.Given() || f.Packets != "" || f.Timeout != 0 || f.Reroute != "" || f.Detection != 0 || f.Update != 0 || f.VCs != 0
}

// ofLinks reports whether there may be faults other than bit errors.
func (f *Faults) ofLinks() bool {
	others := *f
	others.BitErrors = BitErrors{}
	return others.Given()
}

// Any reports whether faults are listed, in a file or drawn.
func (f *Faults) Any() bool {
	return len(f.Events) > 0 || f.File != "" || f.Random.Given()
}

// Reroutes reports whether tables change when links fail.
func (f *Faults) Reroutes() bool { return f.Given() && f.Reroute != RerouteNone }

// ExpectingFaults returns the experiment with a network that is ready for faults, which WithFaults adds.
// It returns a *failure.ConfigError if there are faults already, or cannot be any.
func (r *Resolved) ExpectingFaults() (*Resolved, error) {
	if r.Faults.Any() {
		return nil, r.Refuse(
			"faults", "faults of the run itself", "none, only how routing reacts to those of its futures", "",
		)
	}
	if r.Faults.Given() {
		return r, nil
	}
	e := r.Experiment
	e.Faults.Reroute = usualReroute(&e)
	if !e.Network.Ethernet() && e.Record.Causes != CausesFull {
		e.Faults.Packets = PacketsLose
	}
	return Resolve(e)
}

// WithFaults returns a copy of an experiment that expects faults, with some. They have passed
// Fault.Problems.
func (r *Resolved) WithFaults(list []Fault) *Resolved {
	changed := *r
	changed.Faults.Events = list
	return &changed
}

// recomputable reports whether an algorithm has one route for each pair of NICs, and can be computed
// for any network.
func recomputable(s routing.Spec) bool {
	switch o := s.(type) {
	case routing.UpDownOptions, routing.DFSSSPOptions:
		return true
	case routing.ShortestOptions:
		return o.Choice == routing.ChoiceFlow
	}
	return false
}

// faults fills in the defaults of faults, if there are any.
func (f filler) faults(e *Experiment) {
	ethernet := e.Network.Ethernet()
	if !e.Faults.Given() || ethernet && !e.Faults.ofLinks() {
		return
	}
	if !ethernet {
		give(f, "faults.packets", &e.Faults.Packets, PacketsDrain)
	}
	if !ethernet && e.Faults.Packets == PacketsLose {
		give(f, "faults.timeout", &e.Faults.Timeout, 50*units.Microsecond)
	}
	give(f, "faults.reroute", &e.Faults.Reroute, usualReroute(e))
	if e.Faults.Reroute != RerouteNone {
		give(f, "faults.detection", &e.Faults.Detection, 10*units.Microsecond)
		give(f, "faults.update", &e.Faults.Update, 10*units.Microsecond)
	}
}

// usualReroute returns the default of Faults.Reroute.
func usualReroute(e *Experiment) string {
	if e.Network.Ethernet() || recomputable(e.Network.Routing) {
		return RerouteSame
	}
	return RerouteNone
}

func (v *validator) faults() {
	f, p := &v.e.Faults, v.e.positions
	if !f.Given() {
		v.demand(
			!p.Has("faults"), "faults", "", "events, a file or random faults, or how routing reacts to them",
		)
		return
	}
	v.networkOfFaults()
	v.bitErrors(&f.BitErrors)
	if v.e.Network.Ethernet() {
		if !f.ofLinks() {
			return
		}
		v.faultsOfEthernet(f)
	} else {
		v.faultsOfCredits(f)
	}
	v.faultTime("faults.detection", f.Detection)
	v.faultTime("faults.update", f.Update)
	v.demand(
		len(f.Events) <= MaxFaults, "faults.events", fmt.Sprintf("%d faults", len(f.Events)),
		fmt.Sprintf("at most %d", MaxFaults),
	)
	for i := range f.Events {
		v.fault(index("faults.events", i), &f.Events[i])
	}
	v.randomFaults(&f.Random)
}

// longestTimeout is the largest value of Faults.Timeout.
const longestTimeout = 1000 * units.Second

// losses checks how packets are lost and sent again.
func (v *validator) losses(f *Faults) {
	lose := f.Packets == PacketsLose
	v.demand(
		f.Timeout == 0 && !v.e.positions.Has("faults.timeout") || lose, "faults.timeout", f.Timeout,
		"none, but with faults.packets: "+PacketsLose,
	)
	v.demand(
		!lose || f.Timeout >= leastFault && f.Timeout <= longestTimeout, "faults.timeout", f.Timeout,
		"a time from "+leastFault.String()+" to "+longestTimeout.String(),
	)
	v.demand(
		!lose || v.e.Record.Causes != CausesFull, "record.causes", v.e.Record.Causes,
		CausesPath+" with faults.packets: "+PacketsLose,
	)
}

// faultsOfCredits checks what becomes of packets in a network of credits.
func (v *validator) faultsOfCredits(f *Faults) {
	v.word("faults.packets", f.Packets)
	v.demand(
		f.Packets != PacketsRetry || v.e.Network.Router.OutputBuffer == 0, "faults.packets", f.Packets,
		PacketsDrain+" with a network.router.output_buffer",
	)
	v.losses(f)
	v.word("faults.reroute", f.Reroute)
	v.demand(
		f.Reroute != RerouteSame || recomputable(v.e.Network.Routing), "faults.reroute", f.Reroute,
		"a network.routing with tables that can be computed again, or "+config.OneOf(reroutes()[1:]),
	)
	v.demand(
		f.VCs >= 0 && (f.VCs < v.e.Network.Router.VCs || v.told("network.router.vcs")), "faults.vcs", f.VCs,
		fmt.Sprintf("fewer than the %d virtual channels of network.router.vcs", v.e.Network.Router.VCs),
	)
	v.demand(f.VCs == 0 || f.Reroute != RerouteNone, "faults.vcs", f.VCs, "0, as packets are not rerouted")
}

// faultsOfEthernet checks what becomes of packets in a network that drops or pauses them.
func (v *validator) faultsOfEthernet(f *Faults) {
	buffers := "network.router.buffers: " + v.e.Network.Router.Buffers
	v.demand(
		f.Packets == "", "faults.packets", f.Packets, "none with "+buffers+", where links that go down lose packets",
	)
	v.demand(
		f.Reroute == RerouteSame || f.Reroute == RerouteNone, "faults.reroute", f.Reroute,
		config.OneOf([]string{RerouteSame, RerouteNone})+" with "+buffers+", where packets take shortest ways",
	)
	v.demand(
		f.Timeout == 0, "faults.timeout", f.Timeout, "none with "+buffers+", but node.transport.timeout",
	)
	v.demand(f.VCs == 0, "faults.vcs", f.VCs, "0 with "+buffers+", which has no virtual channels")
	v.demand(
		v.e.Node.Transport.Retransmission != RetransmissionNone || v.told("node.transport.retransmission"),
		"node.transport.retransmission", RetransmissionNone,
		RetransmissionSelective+" or "+RetransmissionGoBackN+" with faults, as links that go down lose packets",
	)
}

// networkOfFaults refuses faults in networks that cannot have any.
func (v *validator) networkOfFaults() {
	n := &v.e.Network
	const found = "faults"
	v.demand(n.Model == "" || n.Model == ModelPacket, "faults", found, "none with network.model: "+n.Model)
	v.demand(
		n.Router.Buffers != BuffersPFC || !v.e.Faults.BitErrors.Given(), "faults.bit_errors", "bit errors",
		"none with network.router.buffers: "+BuffersPFC,
	)
	v.demand(n.Doors == nil, "faults", found, "none in a network with doors (Network.Doors)")
	v.demand(
		v.e.Node.NICs <= 1 || v.e.Node.IOBus == IOBus{}, "faults", found, "none with a node.io_bus that NICs share",
	)
}

// Problems returns the problems with the values of one more fault, which was not written as part of the
// experiment.
func (f *Faults) Problems(more *Fault) config.Problems {
	v := &validator{e: &Experiment{Faults: Faults{Packets: f.Packets}}}
	v.fault("fault", more)
	return v.problems
}

// fault checks one fault of a list.
func (v *validator) fault(path string, f *Fault) {
	v.demand(len(f.parts()) == 1, path, f.Part(), "one of link, switch, plane, nic and host")
	p := v.e.positions
	v.demand(f.From != 0 || !p.Has(path) || p.Has(path+".from"), path+".from", "", "a time such as 10us")
	v.faultTime(path+".from", f.From)
	lasts := f.To == 0 && !p.Has(path+".to")
	v.demand(
		lasts || f.To-f.From >= leastFault && f.To <= maxFaultTime, path+".to", f.To,
		"a time at least "+leastFault.String()+" after the fault begins at "+f.From.String(),
	)
	if f.Rate != 0 || p.Has(path+".rate") {
		v.demand(f.Rate > 0 && f.Rate < units.Whole, path+".rate", f.Rate, "a share above 0, below 1")
		v.demand(f.Host == "", path+".rate", f.Rate, "none of a host, which is down; nic is slower with it")
	}
	if f.Announced != nil {
		v.demand(
			*f.Announced >= 0 && *f.Announced <= f.From, path+".announced", *f.Announced,
			"a time up to that of the fault, "+f.From.String(),
		)
		v.demand(
			f.Host == "" && f.NIC == "", path+".announced", *f.Announced,
			"none: no other links lead to a host",
		)
		v.demand(f.Rate == 0, path+".announced", *f.Announced, "none with a rate: only links that are down are routed round")
	}
	if v.e.Faults.Packets == PacketsRetry {
		v.retried(path, f)
	}
}

// retried refuses a fault whose packets cannot be sent again.
func (v *validator) retried(path string, f *Fault) {
	v.demand(f.NIC == "", path+".nic", f.NIC, "none with faults.packets: retry, which links between routers have")
	v.demand(
		f.To != 0 || f.Rate != 0 || f.Host != "", path+".to", "never",
		"a time with faults.packets: retry, as packets are sent again then",
	)
}

func (v *validator) faultTime(path string, at units.Time) {
	v.demand(at >= 0 && at <= maxFaultTime, path, at, "a time from 0ps to "+maxFaultTime.String())
}

// Part describes what the fault names, such as "link 3-17".
func (f *Fault) Part() string { return strings.Join(f.parts(), " and ") }

func (f *Fault) parts() (list []string) {
	for _, p := range [][2]string{
		{"link", f.Link}, {"switch", f.Switch}, {"plane", f.Plane}, {"nic", f.NIC}, {"host", f.Host},
	} {
		if p[1] != "" {
			list = append(list, p[0]+" "+p[1])
		}
	}
	return list
}

// mostErrors is the largest rate of bit errors.
const mostErrors = units.ErrorRate(1e15)

func (v *validator) bitErrors(b *BitErrors) {
	if !b.Given() {
		return
	}
	v.demand(
		v.e.Network.Router.OutputBuffer == 0, "faults.bit_errors", "bit errors", "none with a network.router.output_buffer",
	)
	check := func(path string, rate units.ErrorRate) {
		v.demand(rate <= mostErrors, path, rate, "at most "+mostErrors.String())
	}
	check("faults.bit_errors.rate", b.Rate)
	for i, l := range b.Links {
		check(index("faults.bit_errors.links", i)+".rate", l.Rate)
		v.demand(l.Link != "", index("faults.bit_errors.links", i)+".link", "", "two routers, such as 3-17")
	}
}
