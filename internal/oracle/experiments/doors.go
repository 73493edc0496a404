package experiments

import (
	"math/rand/v2"
	"slices"

	"fabricast/fabric"
	"fabricast/internal/units"
	"fabricast/routing"
	"fabricast/topology"
)

// Doors describes doors of a network (fabric.Doors) whose functions depend on everything that they
// may read, so that any difference changes later times.
type Doors struct {
	Hooks  bool           `json:",omitempty"`
	Delay  int64          `json:",omitempty"` // delay of feedback (ps); 0: feedback travels in packets
	Window uint64         `json:",omitempty"` // maximum number of packets of a flow without feedback; 0: unlimited
	Pace   uint64         `json:",omitempty"` // limit of the time between two packets of a flow (ps), exclusive
	Agent  bool           `json:",omitempty"`
	Agents []int32        `json:",omitempty"` // routers that have an agent; nil: all
	Hold   uint64         `json:",omitempty"` // limit of the time that an agent holds a packet (ps), exclusive
	Events []fabric.Event `json:",omitempty"`
	Retry  bool           `json:",omitempty"`
	Lose   int64          `json:",omitempty"` // timeout of packets that links lose (ps); 0: they wait
	Errors uint64         `json:",omitempty"` // largest rate of bit errors of a port (2^-64 a bit)
	Epochs []units.Time   `json:",omitempty"`
	// Control names what controls congestion, in place of Hooks.
	Control string `json:",omitempty"`
}

// DrawDoors returns the experiment for a seed, with doors.
func DrawDoors(seed uint64) *Experiment {
	from := []func(uint64) *Experiment{Draw, DrawGeneral, DrawGeneral, DrawShaped}
	e := from[seed%4](seed)
	d := drawer{rand.New(rand.NewPCG(seed, 0x646f6f7273)), light}
	e.IOBus.Bandwidth, e.IOBus.Latency = 0, 0
	e.Doors = &Doors{}
	if d.chance(60) {
		d.hooks(e.Doors)
	}
	spec, err := e.Spec()
	if err != nil {
		return e
	}
	if d.chance(40) {
		d.events(e, spec.Graph)
		e.Doors.Retry = spec.Router.OutputBuffer == 0 && d.chance(50)
		if !e.Doors.Retry && d.chance(60) {
			d.losses(e.Doors)
		}
	}
	if spec.Router.OutputBuffer == 0 && d.chance(40) {
		most := ^uint64(0) / (8 * uint64(spec.Packet.Wire(spec.Packet.Payload())))
		e.Doors.Errors = most / pick(d, uint64(1), 10, 1000)
	}
	if _, random := spec.Routing.(routing.Randomized); random {
		return e
	}
	if spec.Adaptive != nil {
		if _, ok := spec.Adaptive.(wander); ok && d.chance(60) {
			d.epochs(e)
		}
		return e
	}
	if e.Doors.Lose == 0 && d.chance(40) {
		d.agents(e.Doors, spec.Graph)
	}
	if e.Shape == nil && !e.Unsafe && d.chance(40) {
		d.epochs(e)
	}
	return e
}

// epochs draws times from which packets are routed otherwise.
func (d drawer) epochs(e *Experiment) {
	for range d.between(1, 3) {
		e.Doors.Epochs = append(e.Doors.Epochs, d.moment(e))
	}
	slices.Sort(e.Doors.Epochs)
	e.Doors.Epochs = slices.Compact(e.Doors.Epochs)
}

func (d drawer) hooks(o *Doors) {
	o.Hooks = true
	if d.chance(50) {
		o.Delay = pick(d, 2, 1000, int64(d.between(2, 200_000)))
	}
	if d.chance(50) {
		o.Window = uint64(d.between(1, 6))
	}
	if d.chance(70) {
		o.Pace = uint64(pick(d, 2, 1000, d.between(1, 300_000)))
	}
}

func (d drawer) agents(o *Doors, g *topology.Graph) {
	o.Agent = true
	o.Hold = uint64(pick(d, 1, 1000, d.between(1, 200_000)))
	if d.chance(50) {
		o.Agents = []int32{}
		for r := range int32(g.Routers) {
			if d.chance(50) {
				o.Agents = append(o.Agents, r)
			}
		}
	}
}

// losses makes links that are down lose packets. Some stay down, in the direction out of a router.
func (d drawer) losses(o *Doors) {
	o.Lose = pick(d, 2, int64(d.between(2, 100_000)), int64(d.between(2, 3_000_000)))
	if i := slices.IndexFunc(o.Events, func(e fabric.Event) bool { return e.Kind == fabric.Up && !e.FromNIC }); i >= 0 && d.chance(30) {
		o.Events = slices.Delete(o.Events, i, i+1)
	}
}

// events draws links and routers that go down and come up again, and links whose rate changes.
func (d drawer) events(e *Experiment, g *topology.Graph) {
	used := map[units.Time]bool{}
	for range d.between(1, 6) {
		r := int32(d.IntN(g.Routers))
		port := int32(fabric.AllPorts)
		if ports := g.PortBase[r+1] - g.PortBase[r]; ports > 0 && d.chance(80) {
			port = int32(d.IntN(int(ports)))
		}
		at := d.moment(e)
		up := at + 1 + units.Time(d.IntN(pick(d, 10, 10_000, 3_000_000)))
		if used[at] || used[up] { // a port has at most one event at a time
			continue
		}
		used[at], used[up] = true, true
		oneWay := d.chance(40)
		fromNIC := port >= 0 && g.Ports[g.PortBase[r]+port].NIC != topology.Unconnected && d.chance(50)
		if d.chance(40) {
			e.Doors.Events = append(e.Doors.Events, fabric.Event{
				At: at, Router: r, Port: port, Kind: fabric.SetRate, Rate: pick(d, 0, d.rate(), d.wholeRate()), OneWay: oneWay,
				FromNIC: fromNIC,
			})
			continue
		}
		e.Doors.Events = append(e.Doors.Events,
			fabric.Event{At: at, Router: r, Port: port, Kind: fabric.Down, OneWay: oneWay, FromNIC: fromNIC},
			fabric.Event{At: up, Router: r, Port: port, Kind: fabric.Up, OneWay: oneWay, FromNIC: fromNIC},
		)
	}
	d.Shuffle(len(e.Doors.Events), func(i, j int) {
		e.Doors.Events[i], e.Doors.Events[j] = e.Doors.Events[j], e.Doors.Events[i]
	})
}

// StayDown reports whether a link goes down and does not come up again, as packets may then wait for ever
// without a cycle.
func (o *Doors) StayDown() bool {
	return o != nil && slices.ContainsFunc(o.Events, func(down fabric.Event) bool {
		return down.Kind == fabric.Down && !slices.ContainsFunc(o.Events, func(up fabric.Event) bool {
			same := up.Router == down.Router && up.Port == down.Port && up.OneWay == down.OneWay && up.FromNIC == down.FromNIC
			return up.Kind == fabric.Up && same && up.At > down.At
		})
	})
}

// moment returns a random time (ps) for an event.
func (d drawer) moment(e *Experiment) units.Time {
	at := int64(0)
	if len(e.Messages) > 0 {
		at = e.Messages[d.IntN(len(e.Messages))].Delay
	}
	return units.Time(at + d.Int64N(pick(d, int64(1), 5_000, 2_000_000)))
}

// put adds the doors to a specification.
func (o *Doors) put(spec *fabric.Spec) {
	if o == nil {
		return
	}
	doors := &fabric.Doors{Events: o.Events, Retry: o.Retry, Timeout: units.Time(o.Lose)}
	if o.Errors > 0 {
		for port := range spec.Graph.Ports {
			doors.BitErrors = append(doors.BitErrors, o.Errors/uint64(1+port%3))
		}
	}
	if o.Hooks {
		doors.Hooks, doors.Injector = o.hooks(), o.injector()
	}
	o.control(doors, spec)
	if o.Agent {
		doors.Agent = o.agent(spec)
	}
	for i, at := range o.Epochs {
		epoch := fabric.Epoch{At: at}
		if spec.Adaptive == nil {
			epoch.Routing = shifted{spec.Routing, uint16(i) + 1, uint16(spec.Router.VCs)}
		}
		doors.Epochs = append(doors.Epochs, epoch)
	}
	if w, ok := spec.Adaptive.(wander); ok && len(o.Epochs) > 0 {
		spec.Adaptive = renewedWander{w, len(o.Epochs)}
	}
	spec.Doors = doors
}

// mixed returns a number that depends on all the given numbers.
func mixed(of ...uint64) (x uint64) {
	for _, y := range of {
		x = (x ^ y) * 0x9e3779b97f4a7c15
		x ^= x >> 29
	}
	return x
}

// agentMark is the bit of a packet's meta which says that one agent has sent the packet to another.
const agentMark = 1 << 63

func (o *Doors) hooks() *fabric.Hooks {
	return &fabric.Hooks{
		Name: "mixing", Delay: units.Time(o.Delay), PortState: 1, NICState: 2, FlowState: 1,
		Start: func(s *fabric.Start) {
			s.State[0]++
			seen := mixed(
				s.State[0], uint64(s.Now), uint64(s.Flits), uint64(s.Queue(s.OutPort, s.OutVC)),
				uint64(s.PortQueue(s.OutPort)), uint64(s.Waiting(s.InPort, s.InVC)),
				uint64(s.Waiting(s.OutPort, s.OutVC)), uint64(s.Toward(s.OutPort)), uint64(s.Message.Tag),
			)
			s.Meta = s.Meta&agentMark | mixed(s.Meta, seen)&^agentMark
		},
		Eject: func(e *fabric.Ejection) {
			e.State[0]++
			e.NIC[0] = mixed(e.NIC[0], e.Meta, uint64(e.Now), e.State[0])
			after := int64(0)
			if e.NIC[0]%3 == 0 {
				after = int64(e.NIC[0] >> 8 % 50_000)
			}
			e.Reply(e.Source, e.NIC[0], after)
		},
	}
}

// pacer is the state of a flow at its sender.
type pacer struct {
	ahead, turns uint64 // number of packets without feedback, and number of packets
	from         int64  // when the next packet may be sent (ps)
}

func (o *Doors) injector() *fabric.Injector {
	return &fabric.Injector{
		Name: "mixing", NICState: 1, FlowState: fabric.Words[pacer](),
		Next: func(f *fabric.Flow, d *fabric.Departure) int64 {
			p := fabric.StateIn[pacer](f.State)
			if o.Window > 0 && p.ahead >= o.Window {
				return fabric.Forever
			}
			return p.from
		},
		Sent: func(f *fabric.Flow, d *fabric.Departure) {
			p := fabric.StateIn[pacer](f.State)
			p.ahead++
			p.turns++
			f.NIC[0] = mixed(f.NIC[0], p.turns, uint64(d.Bytes), uint64(f.Destination))
			if o.Pace > 0 {
				p.from = d.Now + int64(f.NIC[0]%o.Pace)
			}
			d.Meta = f.NIC[0] &^ agentMark
		},
		Feedback: func(f *fabric.Flow, back *fabric.Feedback) {
			p := fabric.StateIn[pacer](f.State)
			p.ahead--
			f.NIC[0] = mixed(f.NIC[0], back.Value, back.Meta, uint64(back.Now))
			if o.Pace > 0 && f.NIC[0]%4 == 0 {
				p.from = back.Now + int64(f.NIC[0]>>8%o.Pace)
			}
		},
	}
}

// agent returns agents that hold packets for a while, replace some packets by others, and sometimes
// send a packet to a neighbour.
func (o *Doors) agent(spec *fabric.Spec) *fabric.Agent {
	g, payload := spec.Graph, spec.Packet.Payload()
	return &fabric.Agent{
		Name: "mixing", Routers: o.Agents, Link: topology.LinkRouter, State: 1,
		Delay: units.Time(o.Hold % 7),
		Takes: func(p *fabric.Passing) bool {
			return !p.Control && (p.Meta&agentMark != 0 || mixed(uint64(p.Router), uint64(p.Message.Tag))%3 == 0)
		},
		Arrive: func(t *fabric.Taken) {
			t.State[0] = mixed(t.State[0], t.Meta, uint64(t.Now), uint64(t.InPort))
			port := int32(t.State[0]>>32) % (g.PortBase[t.Router+1] - g.PortBase[t.Router])
			switch {
			case t.Meta&agentMark != 0:
				t.Fate = fabric.Consumed
			case t.State[0]%4 == 0 && t.Message.Size <= payload:
				t.Fate = fabric.Consumed
				after := int64(t.State[0] >> 16 % o.Hold)
				t.Posts = append(t.Posts, fabric.Post{
					Message: *t.Message, Header: t.Header, Meta: t.Meta, After: after, Port: fabric.ByRoute,
				})
			case t.State[0]%4 == 1:
				t.Fate = fabric.Held
				after := int64(t.State[0] >> 16 % o.Hold)
				t.Posts = append(t.Posts, fabric.Post{
					Handle: t.Handle, Meta: t.Meta + 1&^agentMark, After: after, Port: fabric.ByRoute,
				})
			case t.State[0]%4 == 2 && o.Agents == nil &&
				g.Ports[g.PortBase[t.Router]+max(port, -port)].Peer != topology.Unconnected:
				m := fabric.Message{Src: t.Message.Src, Dst: t.Message.Dst, Size: payload / 2}
				t.Send(m, agentMark, max(port, -port), uint16(t.State[0]>>40%uint64(spec.Router.VCs)))
			}
		},
	}
}

// shifted is a routing function that uses other virtual channels, if all channels are equivalent;
// otherwise it is the original routing function as a different value.
type shifted struct {
	routing.Function
	by, vcs uint16
}

func (s shifted) Start(src, dst int32) (header uint64, vc uint8) {
	header, vc = s.Function.Start(src, dst)
	return header, uint8((uint16(vc) + s.by) % s.vcs)
}

func (s shifted) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	port, vc, next = s.Function.Next(router, header)
	return port, (vc + s.by) % s.vcs, next
}
