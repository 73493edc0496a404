package experiment

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"fabricast/ethernet/control"
	"fabricast/ethernet/paths"
	"fabricast/internal/option"
	"fabricast/internal/units"
	"fabricast/topology"
)

// congestion checks the fields of networks that drop or pause packets.
func (v *validator) congestion(packetRight bool) {
	n := &v.e.Network
	if n.Router.Buffers != "" {
		v.word("network.router.buffers", n.Router.Buffers)
	}
	if !n.Ethernet() {
		v.noCongestion()
		return
	}
	v.demand(
		!n.Abstract(), "network.model", n.Model,
		"packet, as buffers that are "+n.Router.Buffers+" hold packets",
	)
	v.shared(n.Router)
	if n.Router.Buffers == BuffersPFC {
		v.noneWith("network.router.queue", BuffersPFC, n.Router.Queue)
		v.noneWith("network.router.trimming", BuffersPFC, n.Router.Trimming)
		v.noneWith("network.router.scaled_queues", BuffersPFC, n.Router.ScaledQueues)
	}
	if q := n.Router.Queue; packetRight && q != 0 {
		v.sized("network.router.queue", q, n.Packet.MTU)
	}
	v.demand(
		v.told("network.packet.header") || !n.Router.Trimming || n.Packet.Header > 0 || n.Router.Buffers == BuffersPFC,
		"network.router.trimming", "no header to trim packets to",
		"a network.packet.header above 0",
	)
	v.demand(
		!n.Router.ScaledQueues || n.Router.Shared.Size == 0, "network.router.scaled_queues", n.Router.ScaledQueues,
		"none with a network.router.shared buffer",
	)
	v.ecn(n.Router.ECN)
	v.routerClasses(packetRight)
	v.transport(packetRight)
	v.creditsOnly(n.Router.Buffers)
}

// creditsOnly refuses what exists in networks of credits alone.
func (v *validator) creditsOnly(buffers string) {
	e := v.e
	none := "none, or network.router.buffers: " + BuffersCredits
	if usual := DefaultRouting(e.Network.Kind()); e.Network.Routing != nil && e.Network.Kind() != "" {
		v.demand(e.Network.Routing.Name() == usual, "network.routing", e.Network.Routing.Name(),
			"none: packets take shortest paths, of which node.transport.paths chooses")
	}
	v.demand(e.Node.Gap == 0, "node.gap", packetTimes(e.Node.Gap), none)
	v.demand(e.Node.IOBus == IOBus{}, "node.io_bus", "a bus", none)
	v.demand(!e.Workload.Pacing.Given(), "workload.pacing", "packet pacing", none)
	v.demand(!e.Collectives.PacesAny(), "collectives", "packet pacing", none)
	v.demand(
		len(e.Record.Buffers.Routers) == 0, "record.buffers", "packets through routers",
		none+": packets have the number of their flow, not that of a message",
	)
	v.demand(e.Network.Doors == nil, "network.doors", "doors", none)
}

// noCongestion refuses fields that have no meaning with credits.
func (v *validator) noCongestion() {
	r := &v.e.Network.Router
	const path = "network.router."
	v.noneWith(path+"shared", BuffersCredits, r.Shared)
	v.noneWith(path+"queue", BuffersCredits, r.Queue)
	v.noneWith(path+"trimming", BuffersCredits, r.Trimming)
	v.noneWith(path+"scaled_queues", BuffersCredits, r.ScaledQueues)
	v.noneWith(path+"ecn", BuffersCredits, r.ECN)
	if len(r.Classes) > 0 {
		v.creditClasses()
	}
	v.lossless(&v.e.Node.Transport)
}

// lossless checks the transport of a network without loss: it has nothing but an algorithm that controls
// congestion.
func (v *validator) lossless(t *Transport) {
	const path = "node.transport."
	all := reflect.ValueOf(*t)
	for i := range all.NumField() {
		name, _, _ := strings.Cut(all.Type().Field(i).Tag.Get("yaml"), ",")
		if value := all.Field(i); name != "control" && (!value.IsZero() || v.e.positions.Has(path+name)) {
			v.problem(path+name, name, "none with buffers: "+BuffersCredits, "network.router.buffers: lossy or pfc has it")
		}
	}
	if t.Control == nil {
		return
	}
	const at = path + "control"
	k := control.KindOf(t.Control)
	if k == nil || !k.Lossless() && k.Name != ControlNone {
		v.noKind(at, t.Control, append(namesOfKinds(control.LosslessKinds()), ControlNone))
		return
	}
	v.mistakes(at, k.Check(cloned(t.Control)))
	v.written(at, k, t.Control)
	if k.Lossless() {
		v.controlled(at, k.Name)
	}
}

// controlled refuses the control of congestion in networks of credits that cannot have it.
func (v *validator) controlled(path, found string) {
	n := &v.e.Network
	v.demand(n.Model == "" || n.Model == ModelPacket, path, found, "none with network.model: "+n.Model)
	v.demand(n.Doors == nil, path, found, "none in a network with doors (Network.Doors)")
	v.demand(!n.InNetwork.Given(), path, found, "none in a network whose switches reduce (network.in_network)")
	v.demand(
		v.e.Node.NICs <= 1 || v.e.Node.IOBus == IOBus{}, path, found, "none with a node.io_bus that NICs share",
	)
}

// written refuses options that a file gives as 0, where 0 stands for a default that is not 0.
func (v *validator) written(path string, k *control.Kind, options control.Spec) {
	for _, o := range k.Options {
		value := reflect.Indirect(reflect.ValueOf(options)).Field(o.Index)
		if value.IsZero() && v.e.positions.Has(path+"."+o.Name) && o.Default != "0" && k.Lossless() {
			v.problem(path+"."+o.Name, "0", "a value above 0", "the default is "+plainWords(o.Default))
		}
	}
}

// namesOfKinds returns the names of algorithms.
func namesOfKinds(kinds []*control.Kind) (names []string) {
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

// noneWith refuses a field that was given although it has no meaning with these buffers.
func (v *validator) noneWith(path, buffers string, value any) {
	others := BuffersLossy + " or " + BuffersPFC
	if buffers != BuffersCredits {
		others = BuffersLossy
	}
	if reflect.ValueOf(value).IsZero() && !v.e.positions.Has(path) {
		return
	}
	found := fmt.Sprint(value)
	if k := reflect.TypeOf(value).Kind(); k == reflect.Struct || k == reflect.Slice {
		found = path[strings.LastIndexByte(path, '.')+1:]
	}
	v.problem(path, found, "none with buffers: "+buffers, "network.router.buffers: "+others+" has it")
}

// sized demands a size from a least one to that of the largest buffer.
func (v *validator) sized(path string, size, least units.Bytes) bool {
	return v.demand(
		size >= least && size <= maxBuffer, path, size,
		fmt.Sprintf("a size from %s to %s", least, maxBuffer),
	)
}

// share demands a share above 0, and at most a whole one.
func (v *validator) share(path string, f units.Fraction) {
	v.demand(f > 0 && f <= units.Whole, path, f, "a share above 0, up to 1")
}

// shared checks the shared buffer.
func (v *validator) shared(r Router) {
	const path = "network.router.shared."
	s, pauses := r.Shared, r.Buffers == BuffersPFC
	if !pauses {
		v.noneWith(path+"headroom", BuffersLossy, s.Headroom)
		v.noneWith(path+"resume", BuffersLossy, s.Resume)
		if s.Size == 0 {
			given := s != (SharedBuffer{}) || v.e.positions.Has("network.router.shared")
			v.demand(!given, path+"size", "", "the size of a buffer that all ports share")
			return
		}
	}
	v.sized(path+"size", s.Size, v.e.Network.Packet.MTU)
	v.alpha(path+"alpha", s.Alpha, 1)
	v.sized(path+"headroom", s.Headroom, 0)
	v.sized(path+"reserve", s.Reserve, 0)
	v.sized(path+"resume", s.Resume, 0)
}

// alpha demands a share of a buffer from a least one on.
func (v *validator) alpha(path string, alpha, least units.Fraction) {
	v.demand(alpha >= least && alpha <= 1000*units.Whole, path, alpha, "a number above 0, up to 1000")
}

// ecn checks the marks.
func (v *validator) ecn(e ECN) {
	const path = "network.router.ecn."
	if e == (ECN{}) {
		return
	}
	v.word(path+"at", e.At)
	v.sized(path+"min", e.Min, 0)
	if v.sized(path+"max", e.Max, 0) {
		v.demand(e.Max >= e.Min, path+"max", e.Max, "at least network.router.ecn.min, "+e.Min.String())
	}
	v.share(path+"probability", e.Probability)
}

// transport checks how NICs send.
func (v *validator) transport(packetRight bool) {
	const path = "node.transport."
	t, n := &v.e.Node.Transport, &v.e.Network
	v.between(path+"queue_pairs", t.QueuePairs, 1, mostQueuePairs)
	v.word(path+"retransmission", t.Retransmission)
	v.demand(
		n.Router.Buffers != BuffersLossy || t.Retransmission != RetransmissionNone, path+"retransmission",
		t.Retransmission, RetransmissionGoBackN+" or "+RetransmissionSelective+" where packets are lost",
	)
	v.delay(path+"timeout", t.Timeout)
	v.between(path+"timeout_exponent", t.TimeoutExponent, 0, mostTimeoutExponent)
	v.demand(
		t.TimeoutExponent == 0 || t.Timeout == 0, path+"timeout_exponent", t.TimeoutExponent,
		"none with node.transport.timeout",
	)
	v.sized(path+"ack_every", t.AckEvery, 0)
	v.demand(
		t.Retransmission != RetransmissionNone || t.AckEvery == 0, path+"ack_every", t.AckEvery,
		"none with retransmission: none, where each packet is acknowledged",
	)
	if packetRight {
		v.demand(
			t.AckSize >= 1 && t.AckSize <= n.Packet.MTU, path+"ack_size", t.AckSize,
			"a size from 1B to the MTU of "+n.Packet.MTU.String(),
		)
	}
	v.control(t)
	v.paths(t)
	v.credit(t, packetRight)
}

// control checks the algorithm that controls congestion, and that it gets what it needs.
func (v *validator) control(t *Transport) {
	const path = "node.transport.control"
	k := control.KindOf(t.Control)
	if k == nil || k.Lossless() {
		v.noKind(path, t.Control, namesOfKinds(control.EthernetKinds()))
		return
	}
	v.mistakes(path, k.Check(cloned(t.Control)))
	v.demand(
		!t.needs().Marks || v.e.Network.Router.ECN != (ECN{}), path, k.Name+" without marks",
		"a network.router.ecn, as "+k.Name+" reacts to marks alone",
	)
}

// paths checks the algorithm that chooses paths.
func (v *validator) paths(t *Transport) {
	const path = "node.transport.paths"
	k := paths.KindOf(t.Paths)
	if k == nil {
		v.noKind(path, t.Paths, paths.KindNames())
		return
	}
	v.mistakes(path, k.Check(cloned(t.Paths)))
}

// noKind refuses options that are of none of the kinds with these names.
func (v *validator) noKind(path string, options any, names []string) {
	if k, ok := options.(control.Spec); ok && control.KindOf(k) != nil {
		v.problem(
			path, k.Name()+" with network.router.buffers: "+cmp.Or(v.e.Network.Router.Buffers, BuffersCredits),
			"one of "+strings.Join(names, ", ")+" with these buffers", "",
		)
		return
	}
	v.problem(path, fmt.Sprintf("%T", options), "options of one of "+strings.Join(names, ", "), "")
}

// mistakes records those of options.
func (v *validator) mistakes(path string, list []topology.Mistake) {
	for _, m := range list {
		v.mistake(path, m)
	}
}

// credit checks what receivers grant.
func (v *validator) credit(t *Transport, packetRight bool) {
	const path = "node.transport.credit"
	if v.told("node.transport.control") {
		return // whether it needs credit is not known
	}
	if !t.credited() {
		given := t.Credit != (Credit{}) || v.e.positions.Has(path)
		v.demand(!given, path, "credit", "none with an algorithm that needs no credit")
		return
	}
	v.sized(path+".initial", t.Credit.Initial, 0)
	if packetRight {
		v.sized(path+".grant", t.Credit.Grant, 1)
	}
	v.share(path+".rate", t.Credit.Rate)
}

// inFile returns the transport with its algorithms in their form in files. given reports whether a
// field was written, so that a zero is written too.
func (t *Transport) inFile(given func(path string) bool) Transport {
	form := func(path, name string, list []option.Option, options any) any {
		return optionsYAML("algorithm", name, list, options, func(o option.Option) bool {
			return given("node.transport." + path + "." + o.Name)
		}, nil)
	}
	formed := *t
	if k := control.KindOf(t.Control); k != nil {
		formed.Control = controlInFile{t.Control, form("control", k.Name, k.Options, t.Control)}
	}
	if k := paths.KindOf(t.Paths); k != nil {
		formed.Paths = pathsInFile{t.Paths, form("paths", k.Name, k.Options, t.Paths)}
	}
	return formed
}
