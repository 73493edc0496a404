package run

import (
	"fabricast/abstract"
	"fabricast/fabric"
	"fabricast/internal/plan"
	"fabricast/internal/predict"
)

// Relieve makes the messages from one host to another take no resources: each arrives as over an idle
// network, in the order of posting, and occupies no NIC, link or buffer. So the run shows what their
// presence costs all others. It needs a network of packets with credits; the run then has one worker, one
// process, and no checkpoints.
func Relieve(source, destination int32) Option {
	return func(s *settings) { s.relieved = &[2]int32{source, destination} }
}

// alone returns the settings of a run in which messages pass beside the network: with one partition block,
// so that these may set the timers of all hosts.
func (s settings) alone() settings {
	s.workers, s.blocks, s.group, s.checkpoints, s.from, s.move = 1, 1, nil, nil, nil, nil
	return s
}

// relief is the transport of a home, and the endpoint of its network. It carries some messages beside the
// network, and passes on all else.
type relief struct {
	fabric.Transport
	hosted
	endpoint fabric.Endpoint
	pair     [2]int32 // hosts whose messages pass beside the network
	nics     int32    // NICs per host
	gap      int64    // of packets, see fabric.Spec.Gap
	passage  func(m *fabric.Message, number uint32, gap int64) abstract.Passage
	posted   uint32    // number of messages so far
	due      []arrival // messages on their way, by time
	timer    int64     // of the endpoint, for the destination (ps)
	waking   bool      // the destination's timer is set afterwards
}

// arrival is when a message is in the memory of its destination.
type arrival struct {
	id fabric.MsgID
	at int64 // ps
}

func newRelief(b home, p *plan.Plan, pair [2]int32) *relief {
	return &relief{
		Transport: b.transport, hosted: b.hosted, pair: pair, nics: int32(p.Fabric.Graph.NICsPerHost),
		gap: p.Fabric.Gap, passage: predict.Idle(p), timer: fabric.Forever,
	}
}

// SetEndpoint implements hosted.
func (r *relief) SetEndpoint(e fabric.Endpoint) {
	r.endpoint = e
	r.hosted.SetEndpoint(r)
}

// Post implements fabric.Transport.
func (r *relief) Post(id fabric.MsgID) {
	m := r.Message(id)
	if m.Src/r.nics != r.pair[0] || m.Dst/r.nics != r.pair[1] {
		r.Transport.Post(id)
		return
	}
	gap := r.gap
	if m.Flags&fabric.HasExtra != 0 {
		gap = max(gap, int64(r.Extra(id).Gap)*fabric.GapUnit)
	}
	p := r.passage(m, r.posted, gap)
	r.posted++
	at := m.Post + p.Flight + p.Tail
	if n := len(r.due); n > 0 {
		at = max(at, r.due[n-1].at)
	}
	r.due = append(r.due, arrival{id, at})
	r.arm()
	if m.Request != 0 {
		r.endpoint.Fetched(r.pair[0], m.Request, m.Post+p.Read)
	}
}

// SetTimer implements fabric.Transport.
func (r *relief) SetTimer(host int32, at int64) {
	if host != r.pair[1] {
		r.Transport.SetTimer(host, at)
		return
	}
	r.timer = at
	r.arm()
}

// arm sets the timer of the destination: for its endpoint, or for the next arrival.
func (r *relief) arm() {
	if r.waking {
		return
	}
	at := r.timer
	if len(r.due) > 0 {
		at = min(at, r.due[0].at)
	}
	r.Transport.SetTimer(r.pair[1], at)
}

// Wake implements fabric.Endpoint.
func (r *relief) Wake(host int32, now int64) {
	if host != r.pair[1] {
		r.endpoint.Wake(host, now)
		return
	}
	r.waking = true
	for len(r.due) > 0 && r.due[0].at <= now {
		a := r.due[0]
		r.due = r.due[1:]
		r.endpoint.Delivered(host, a.id, a.at)
	}
	for r.timer <= now {
		r.timer = fabric.Forever
		r.endpoint.Wake(host, now)
	}
	r.waking = false
	r.arm()
}

// Delivered implements fabric.Endpoint.
func (r *relief) Delivered(host int32, id fabric.MsgID, at int64) { r.endpoint.Delivered(host, id, at) }

// Fetched implements fabric.Endpoint.
func (r *relief) Fetched(host int32, request uint32, at int64) { r.endpoint.Fetched(host, request, at) }

// GVT implements fabric.VirtualTime.
func (r *relief) GVT() int64 { return r.Transport.(fabric.VirtualTime).GVT() }

// PublishProgress implements fabric.ProgressPublisher.
func (r *relief) PublishProgress() {
	if p, ok := r.endpoint.(fabric.ProgressPublisher); ok {
		p.PublishProgress()
	}
}
