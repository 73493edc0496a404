package experiment

import (
	"fmt"
	"math"
	"slices"

	"fabricast/ethernet"
	"fabricast/internal/units"
	"fabricast/routing"
)

// SizeClass gives a class to the messages of a program that have at most To bytes, for routers that
// arbitrate by priority or have classes.
type SizeClass struct {
	To    units.Bytes `yaml:"to"`
	Class int         `yaml:"class"` // greater is more urgent
}

// RouterClass says how the ports of routers, and NICs, treat a class of messages.
type RouterClass struct {
	Name string `yaml:"name,omitempty"` // in results
	// Priority is strict: a class sends if no class of a greater one can.
	Priority int `yaml:"priority,omitempty"`
	// Weight is the share that a class gets among those of its priority (deficit round robin: it
	// sends this many times the MTU when its turn comes; with credits start-time fair queueing). 0
	// means 1.
	Weight int `yaml:"weight,omitempty"`
	// Queue, Alpha and ECN are those of the class in lossy or pausing routers; where they are 0,
	// those of the router.
	Queue units.Bytes    `yaml:"queue,omitempty"`
	Alpha units.Fraction `yaml:"alpha,omitempty"`
	ECN   ClassECN       `yaml:"ecn,omitempty"`
}

// ClassECN is when packets of a class are marked, as in ECN. A zero Max stands for those of the
// router.
type ClassECN struct {
	Min         units.Bytes    `yaml:"min,omitempty"`
	Max         units.Bytes    `yaml:"max,omitempty"`
	Probability units.Fraction `yaml:"probability,omitempty"` // 0: that of the router
}

// mostWeight is the largest weight of a class, and mostPriority the largest of its priorities.
const (
	mostWeight   = 10_000
	mostPriority = 255
)

// NameOfClass returns the name that routers give to a class; "" if they give none.
func (r *Router) NameOfClass(class int) string {
	if class < len(r.Classes) {
		return r.Classes[class].Name
	}
	return ""
}

// routerClasses checks the classes of routers.
func (v *validator) routerClasses(packetRight bool) {
	r := &v.e.Network.Router
	v.sharing(r.Classes)
	for i, c := range r.Classes {
		path := index("network.router.classes", i) + "."
		if r.Buffers == BuffersPFC {
			v.noneWith(path+"queue", BuffersPFC, c.Queue)
		} else if packetRight && c.Queue != 0 {
			v.sized(path+"queue", c.Queue, v.e.Network.Packet.MTU)
		}
		v.demand(
			c.Alpha == 0 || r.Shared.Size > 0, path+"alpha", c.Alpha, "none without network.router.shared",
		)
		v.alpha(path+"alpha", c.Alpha, 0)
		v.classECN(path+"ecn.", c.ECN)
	}
}

// sharing checks how classes share what they have in common.
func (v *validator) sharing(classes []RouterClass) {
	v.demand(
		len(classes) <= ethernet.MostClasses, "network.router.classes", fmt.Sprintf("%d classes", len(classes)),
		fmt.Sprintf("at most %d", ethernet.MostClasses),
	)
	names := map[string]bool{}
	for i, c := range classes {
		path := index("network.router.classes", i) + "."
		v.demand(c.Name == "" || !names[c.Name], path+"name", c.Name, "a name that no other class has")
		names[c.Name] = true
		v.between(path+"priority", c.Priority, 0, mostPriority)
		v.between(path+"weight", c.Weight, 0, mostWeight)
	}
}

// Channels returns the number of virtual channels of a port with credits: each class has its own.
func (r *Router) Channels() int {
	if r.Buffers != "" && r.Buffers != BuffersCredits {
		return r.VCs
	}
	return r.VCs * max(1, len(r.Classes))
}

// creditClasses checks the classes of routers with credits, each of which has virtual channels of its
// own, and refuses what cannot be beside them.
func (v *validator) creditClasses() {
	const path = "network.router.classes"
	n, r := &v.e.Network, &v.e.Network.Router
	v.sharing(r.Classes)
	for i, c := range r.Classes {
		of := index(path, i) + "."
		v.noneWith(of+"queue", BuffersCredits, c.Queue)
		v.noneWith(of+"alpha", BuffersCredits, c.Alpha)
		v.noneWith(of+"ecn", BuffersCredits, c.ECN)
	}
	v.demand(
		r.VCs < 1 || r.Channels() <= routing.MaxVCs, path, fmt.Sprintf("%d classes of %d virtual channels each", len(r.Classes), r.VCs),
		fmt.Sprintf("at most %d virtual channels in all", routing.MaxVCs),
	)
	for _, with := range []struct {
		what string
		is   bool
	}{
		{"network.model: " + n.Model, n.Model != "" && n.Model != ModelPacket},
		{"network.router.allocation: " + AllocationSeparate, r.Allocation == AllocationSeparate},
		{"network.doors", n.Doors != nil},
		{"network.in_network", n.InNetwork.Given()},
		{"faults", v.e.Faults.Given()},
		{"node.transport.control", v.e.Controlled()},
		{"node.nic_order: " + v.e.Node.NICOrder, v.e.Node.NICOrder != "" && v.e.Node.NICOrder != NICFIFO},
		{"a node.io_bus that NICs share", v.e.Node.NICs > 1 && v.e.Node.IOBus != IOBus{}},
	} {
		v.demand(!with.is, path, "classes", "none with "+with.what)
	}
}

// classECN checks when packets of a class are marked.
func (v *validator) classECN(path string, e ClassECN) {
	if e == (ClassECN{}) {
		return
	}
	v.demand(
		v.e.Network.Router.ECN != (ECN{}), path+"max", e.Max, "none without network.router.ecn, which says where packets are marked",
	)
	v.sized(path+"min", e.Min, 0)
	if v.sized(path+"max", e.Max, 1) {
		v.demand(e.Max >= e.Min, path+"max", e.Max, "at least its min, "+e.Min.String())
	}
	v.demand(e.Probability >= 0 && e.Probability <= units.Whole, path+"probability", e.Probability, "a share up to 1")
}

// classes checks the classes of messages by size, job and part of a mix.
func (v *validator) classes() {
	e := v.e
	v.demand(
		e.Classes == nil || !e.HasTraffic(), "classes", "classes by size",
		"none: classes of traffic are those of the parts of a mix",
	)
	last := units.Bytes(-1)
	for i, c := range e.Classes {
		path := index("classes", i)
		v.demand(c.To > last, path+".to", c.To, "a size of at least 0B, and more than that before it")
		v.class(path+".class", c.Class)
		last = max(last, c.To)
	}
	for i, p := range e.Traffic.Pattern.Parts {
		v.class(index("traffic.pattern.parts", i)+".class", p.Class)
	}
}

// class checks the class of some messages: routers with classes have those of their list.
func (v *validator) class(path string, class int) {
	most, of := math.MaxUint8, ""
	if n := len(v.e.Network.Router.Classes); n > 0 {
		most, of = n-1, ": network.router.classes has no others"
	}
	v.demand(class >= 0 && class <= most, path, class, fmt.Sprintf("a number from 0 to %d%s", most, of))
}

// jobClass checks the class of a job.
func (v *validator) jobClass(path string, j *Job) {
	v.class(path, j.Class)
	classed := slices.ContainsFunc(j.Traffic.Pattern.Parts, func(p PatternPart) bool { return p.Class != 0 })
	v.demand(j.Class == 0 || !classed, path, j.Class, "none for a mix whose parts have classes")
}
