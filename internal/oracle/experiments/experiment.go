package experiments

import (
	"encoding/json"
	"fmt"

	"fabricast/internal/units"

	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/topology"
)

// Experiment is a network, with the messages that are sent through it.
type Experiment struct {
	Dims   []int  // dimensions of a torus or mesh
	Wrap   []bool // by dimension: whether it is a ring
	TieUp  bool
	Unsafe bool   // use one virtual channel on rings, so that packets may get stuck
	Tree   *Tree  `json:",omitempty"` // used instead of a torus
	Shape  *Shape `json:",omitempty"` // used instead of a torus or Tree
	Route  Route  // used instead of the topology's plain routing
	// interval (ps), in addition to the time of a hop, at which adaptive routing on a torus
	// publishes queue lengths for a global view; 0: no global view
	Publish  int64 `json:",omitempty"`
	Seed     uint64
	NICs     int // number of NICs per host
	Link     fabric.Link
	HostLink fabric.Link
	// links of hosts that differ from HostLink; nil: there are none
	HostLinks *HostLinks `json:",omitempty"`
	Router    fabric.Router
	Packet    fabric.Packet
	DMA       int64 // rate of a NIC's transfers from and to memory (bytes/s)
	IOBus     fabric.IOBus
	Gap       int64  `json:",omitempty"` // pause of all NICs after each packet, in thousandths of a packet time
	Turns     bool   `json:",omitempty"` // NICs alternate among their messages, packet by packet
	Control   bool   `json:",omitempty"` // NICs send messages without payload first
	Doors     *Doors `json:",omitempty"`
	Messages  []Message
}

// Route is a kind of routing.
type Route string

const (
	// Plain: dimension order, or the only path through a tree.
	Plain Route = ""
	// Random: every packet takes a random route.
	Random Route = "random"
	// Adaptive: packets take the channels with the shortest queues.
	Adaptive Route = "adaptive"
)

// Cause is the kind of event after which a message is posted.
type Cause string

const (
	// AtStart: at a given time after the start of the run.
	AtStart Cause = "start"
	// OnDelivery: when another message is delivered at the host that posts this one.
	OnDelivery Cause = "delivery"
	// OnFetch: when the source NIC has read another message of the same host from memory.
	OnFetch Cause = "fetch"
)

// Message is one message of an experiment.
type Message struct {
	Src, Dst int32 // global NIC IDs
	Size     int64 // size in bytes
	Class    uint8 `json:",omitempty"`
	Gap      int64 `json:",omitempty"` // pause of the NIC after each packet, in packet times
	Cause    Cause
	// index of the message whose delivery or fetch is the cause; it is earlier in the list
	Of    int
	Delay int64 // time from the cause to the call of Post (ps)
	Ahead int64 // minimum time from the call of Post to the message's post time (ps)
	// how long the message has waited at its source when Post is called (ps; see
	// fabric.SourceQueued); 0: it has not waited
	Waited int64 `json:",omitempty"`
}

// Spec returns the fabric's specification of the experiment's network.
func (e *Experiment) Spec() (fabric.Spec, error) {
	spec, err := e.network()
	if err != nil {
		return spec, err
	}
	e.HostLinks.put(&spec)
	spec.Router, spec.Packet, spec.IOBus, spec.Seed = e.Router, e.Packet, e.IOBus, e.Seed
	spec.DMA = units.Rate(e.DMA)
	spec.TakeTurns, spec.ControlFirst, spec.Gap = e.Turns, e.Control, e.Gap
	e.Doors.put(&spec)
	return spec, nil
}

// network returns a specification that contains the graph, its routing, and its links.
func (e *Experiment) network() (fabric.Spec, error) {
	switch {
	case e.Shape != nil:
		return e.Shape.spec(e)
	case e.Tree != nil:
		return e.Tree.spec(e), nil
	}
	torus, err := topology.NewTorus(e.Dims, e.Wrap, e.NICs)
	if err != nil {
		return fabric.Spec{}, err
	}
	tie := routing.TieSplit
	if e.TieUp {
		tie = routing.TieUp
	}
	spec := fabric.Spec{
		Graph: torus.Graph(),
		Links: []fabric.Link{topology.LinkRouter: e.Link, topology.LinkHost: e.HostLink},
	}
	switch e.Route {
	case Random:
		spec.Routing = newScatter(torus, e.Router.Set())
	case Adaptive:
		spec.Adaptive = newWander(torus, e.Router.Set())
		if e.Publish > 0 {
			spec.Adaptive = informedWander{newWander(torus, e.Router.Set()), e.hop() + e.Publish}
		}
	default:
		spec.Routing, err = e.dimensionOrder(torus, tie)
	}
	return spec, err
}

func (e *Experiment) dimensionOrder(torus *topology.Torus, tie routing.Tie) (routing.Function, error) {
	if e.Unsafe {
		dor, err := routing.NewDOR(torus, 2, tie)
		return unsafeRouting{dor}, err
	}
	return routing.NewDOR(torus, e.Router.Set(), tie)
}

// unsafeRouting moves all packets to one virtual channel, so that deadlock can occur.
type unsafeRouting struct{ routing.Function }

func (r unsafeRouting) Start(src, dst int32) (header uint64, vc uint8) {
	header, _ = r.Function.Start(src, dst)
	return header, 0
}

func (r unsafeRouting) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	port, _, next = r.Function.Next(router, header)
	return port, 0, next
}

// hop returns the time (ps) from a packet's start at one router to its start at the next in an idle
// network.
func (e *Experiment) hop() int64 {
	r := e.Router
	stages := r.Routing + r.VCAllocation + r.SwitchAllocation + r.SwitchTraversal + r.Latency
	return int64(stages + e.Link.Latency)
}

// Hosts returns the number of hosts.
func (e *Experiment) Hosts() int {
	switch {
	case e.Shape != nil:
		return e.Shape.network().Size().Hosts
	case e.Tree != nil:
		return e.Tree.hosts()
	}
	hosts := 1
	for _, k := range e.Dims {
		hosts *= k
	}
	return hosts
}

// host returns the host of a NIC.
func (e *Experiment) host(nic int32) int32 { return nic / int32(e.NICs) }

// String returns the experiment as JSON, with one message per line.
func (e *Experiment) String() string {
	network := *e
	network.Messages = nil
	text := mustJSON(network)
	text = text[:len(text)-len(`null}`)] + "["
	for i, m := range e.Messages {
		if i > 0 {
			text += ","
		}
		text += "\n" + mustJSON(m)
	}
	return text + "]}"
}

func mustJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Parse returns the experiment that String has printed as text.
func Parse(text string) (*Experiment, error) {
	var e Experiment
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	return &e, nil
}
