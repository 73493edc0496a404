package switched

import (
	"errors"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/stage"
	"fabricast/fabric/model"
)

var (
	errReply  = errors.New("fabricast: a hook replies before a packet has come")
	errHandle = errors.New("fabricast: an agent posts a packet that it does not hold")
	errMany   = errors.New("fabricast: an agent consumes a packet of a message of several")
	errPost   = errors.New("fabricast: an agent sends a packet that is too large, or in the past")
)

// isAgent reports whether a port of the active router belongs to its agent.
func (d *Doors) isAgent(port uint32) bool {
	return d.Agent != nil && port == uint32(d.b.Agents[d.g.R.Number])
}

// takenAt reports whether the agent of a router receives a packet, and through which port.
func (d *Doors) takenAt(router uint32, msg model.MsgID, flits uint16, x *core.Rider) (port uint32, taken bool) {
	if d.Agent == nil || d.b.Agents[router] == core.NoAgent {
		return 0, false
	}
	d.passing = model.Passing{
		Router: d.b.Name(router), Flits: int64(flits & core.FlitMask), Message: d.b.Messages.At(msg),
		Control: x.Control, Meta: x.Meta,
	}
	return uint32(d.b.Agents[router]), d.Agent.Takes(&d.passing)
}

// take moves a packet into the agent of the active router, through virtual channel vc of its port.
// The packet's tail leaves the crossbar or the output buffer at `leave` (ps).
func (d *Doors) take(id uint32, p *stage.Packet, port, vc uint32, leave int64) {
	at := leave + int64(d.Agent.Delay)
	if r := &d.b.Spec.Router; !d.g.Buffered {
		at += int64(r.SwitchTraversal) + int64(r.Latency)
	}
	d.Counts.Inside++
	d.g.Out.GiveBack(d.g.R, d.g.R.FirstVC+port*d.g.NumVCs+vc, at, p.Flits)
	d.schedule(d.g.R.Number, work{at: at, kind: agentTakes, packet: id})
}

// arrive passes a packet to the agent of the active router.
func (d *Doors) arrive(w *work) {
	p, x := d.g.Pool.Packets.At(w.packet), d.riders.At(w.packet)
	a, router := &d.taken, d.g.R.Number
	*a = model.Taken{
		Passing: model.Passing{
			Router: d.b.Name(router), Flits: int64(p.Flits & core.FlitMask), Message: d.b.Messages.At(p.Msg),
			Control: x.Control, Meta: x.Meta,
		},
		Now: d.b.Events.Now, InPort: x.From, Header: p.Route, State: stateOf(&d.all.agents, router, d.Agent.State),
		Handle: uint64(w.packet), Posts: a.Posts[:0],
	}
	d.Agent.Arrive(a)
	epoch := x.Epoch
	switch a.Fate {
	case model.Held:
		x.Held = true
	case model.Consumed:
		d.consume(w.packet, p)
	default:
		x.Meta = a.Meta
		p.Route, p.Out = d.onward(router, p.Route, x.Epoch)
		d.enqueue(w.packet, p)
	}
	for i := range a.Posts {
		d.prepare(&a.Posts[i], epoch)
	}
}

// consume removes a packet and its message from the network.
func (d *Doors) consume(id uint32, p *stage.Packet) {
	b, m := d.b, d.b.Messages.At(p.Msg)
	if m.Size > b.Payload || d.riders.At(id).Control {
		panic(errMany)
	}
	b.Ahead.Over(p.Msg, m.Size)
	b.Release(p.Msg)
	b.Counters.ArriveSum += b.Events.Now
	d.Counts.Inside--
	d.Counts.Consumed++
	d.g.Pool.Give(id, p)
}

// prepare gets or creates the packet of a post, and schedules it. A new packet belongs to the given
// epoch.
func (d *Doors) prepare(s *model.Post, epoch uint16) {
	id := uint32(s.Handle)
	var p *stage.Packet
	if s.After < 0 {
		panic(errPost)
	}
	if id == 0 {
		id, p = d.create(s, epoch)
	} else {
		if p = d.g.Pool.Packets.At(id); !d.riders.At(id).Held {
			panic(errHandle)
		}
		d.riders.At(id).Held = false
	}
	x := d.riders.At(id)
	x.Meta = s.Meta
	if s.Port == model.ByRoute {
		p.Route, p.Out = d.onward(d.g.R.Number, p.Route, x.Epoch)
	} else {
		p.Out = uint16(uint32(s.Port)*d.g.NumVCs + uint32(s.VC))
	}
	if s.After > 0 {
		d.schedule(d.g.R.Number, work{at: d.b.Events.Now + s.After, kind: agentPosts, packet: id})
		return
	}
	d.enqueue(id, p)
}

// create creates a packet of an epoch, with its message.
func (d *Doors) create(s *model.Post, epoch uint16) (uint32, *stage.Packet) {
	b := d.b
	if s.Message.Size > b.Payload || s.Message.Size < 0 {
		panic(errPost)
	}
	msg, m := b.Messages.Add()
	*m = s.Message
	m.Post, m.Left, m.Next, m.Flags = b.Events.Now, 1, 0, m.Flags&^model.HasExtra
	b.Ahead.Under(msg, m.Size)
	b.Counters.InjectSum += b.Events.Now
	d.Counts.Inside++
	d.Counts.Made++
	id, p := d.g.Pool.Take()
	*p = stage.Packet{Msg: msg, Flits: uint16(b.Flits(m.Size)) | core.LastPacket, Route: s.Header}
	*d.riders.At(id) = core.Rider{Epoch: epoch}
	return id, p
}

// post sends a packet whose time has been reached.
func (d *Doors) post(w *work) { d.enqueue(w.packet, d.g.Pool.Packets.At(w.packet)) }

// enqueue puts a packet into the input buffer of the agent's port of the active router.
func (d *Doors) enqueue(id uint32, p *stage.Packet) {
	r := d.g.R
	d.Counts.Inside--
	p.Ready, p.Span = d.b.Events.Now+d.b.Spec.Router.RequestDelay(), 0
	number := r.FirstVC + uint32(d.b.Agents[r.Number])*d.g.NumVCs + uint32(p.Out)%d.g.NumVCs
	before := &d.g.In.VCs.At(number).Here
	if d.g.VOQ {
		before = &d.g.In.VCs.At(number).Coming
	}
	if before.First != 0 { // no two packets of a VC may become eligible at the same time
		p.Ready = max(p.Ready, d.g.Pool.Packets.At(before.Last).Ready+1)
	}
	d.g.In.Push(r, number, id, p)
}
