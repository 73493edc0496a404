package fabric

import (
	"fabricast/internal/snapshot"
)

// Stateful is an Endpoint that goes over its own mutable state together with its block's.
type Stateful interface {
	State(v *snapshot.Visitor)
}

// Observed is a Stateful that is observed, and goes over what belongs to the observation. State goes
// over the rest.
type Observed interface {
	Stateful
	StateOfObservation(v *snapshot.Visitor)
}

// saver saves and restores the state of a block.
type saver struct {
	of    *Block
	walks func(*snapshot.Visitor) // State, see walk
	runs  []hostRun               // of the block's hosts; nil before somebody has asked
	// lanes that stand for those of other blocks to which packets leave, on the fast path
	ghosts, countGhosts uint32
}

// Save saves the state of the block and its endpoint between two windows. The states of all blocks
// of a network, saved between the same windows, are one state of the network. Snapshots of single
// blocks are not: a message's record belongs to the block that sent it, and the receiving block
// changes it.
func (s *saver) Save(to *snapshot.Snapshot) { to.Save(s.walk()) }

// Restore makes the block and its endpoint what they were at Save. The next round of the engine
// must be numbered like the one that followed then, at least modulo 2.
func (s *saver) Restore(from *snapshot.Snapshot) { from.Restore(s.walk()) }

// walk returns State as a function, which it makes once.
func (s *saver) walk() func(*snapshot.Visitor) {
	if s.walks == nil {
		s.walks = s.State
	}
	return s.walks
}

// State goes over all that changes during a run in the block and its endpoint.
func (s *saver) State(v *snapshot.Visitor) {
	s.of.messages.state(v)
	s.rest(v)
	s.observed(v)
}

// observed goes over what belongs to an observation of the block and its endpoint.
func (s *saver) observed(v *snapshot.Visitor) {
	if s.of.observer != nil {
		s.of.observer.state(v)
	}
	if e, ok := s.of.endpoint.(Observed); ok {
		e.StateOfObservation(v)
	}
}

// rest goes over all that State goes over but the messages and observations.
func (s *saver) rest(v *snapshot.Visitor) {
	b := s.of
	s.share().state(v)
	b.counters.state(v)
	b.events.state(v)
	b.mail.state(v)
	b.ahead.state(v)
	if b.send.turns != nil {
		snapshot.List(v, &b.send.turns.entries)
		snapshot.Value(v, &b.send.turns.free)
	}
	if b.bus != nil {
		snapshot.List(v, &b.bus.arrivals)
		snapshot.Value(v, &b.bus.free)
	}
	if b.general != nil {
		b.general.state(v)
	} else {
		b.lanes.pool.state(v)
	}
	if e, ok := b.endpoint.(Stateful); ok {
		e.State(v)
	}
	if v.Restores() {
		b.tell()
	}
}

// Round returns the number of the last round in which the block has run.
func (s *saver) Round() uint64 { return s.of.mail.round }

// extent is the share of some consecutive routers in the arrays that all blocks have together.
type extent struct {
	b                  *Block // any block of this process: it has the arrays
	first, count       uint32 // routers
	ports, endPorts    uint32
	lanes, endLanes    uint32
	hosts              []hostRun
	timers, endTimers  uint32
	masks, endMasks    uint32
	ghosts, countGhost uint32
}

// hostRun is a run of consecutive hosts and their NICs.
type hostRun struct{ host, hosts, nic, nics uint32 }

// hostRuns returns the runs of a block's hosts.
func (s *saver) hostRuns() []hostRun {
	if s.runs == nil {
		s.runs = runsOf(s.of.layout, s.of.first, s.of.first+s.of.count)
	}
	return s.runs
}

// runsOf returns the runs of the hosts of routers first to end-1.
func runsOf(l *layout, first, end uint32) (runs []hostRun) {
	each := uint32(l.spec.Graph.NICsPerHost)
	for h := range hostsOf(l, first, end) {
		host := uint32(h)
		if n := len(runs); n > 0 && runs[n-1].host+runs[n-1].hosts == host {
			runs[n-1].hosts++
			runs[n-1].nics += each
			continue
		}
		runs = append(runs, hostRun{host, 1, host * each, each})
	}
	return runs
}

// changed makes the saver forget what it knows of the block's routers.
func (s *saver) changed() { s.runs, s.ghosts, s.countGhosts = nil, 0, 0 }

// takeGhost makes a ghost FIFO one of the block's. They come in order.
func (s *saver) takeGhost(ghost uint32) {
	if s.countGhosts == 0 {
		s.ghosts = ghost
	}
	s.countGhosts++
}

// share returns the block's share of the arrays that all blocks have together.
func (s *saver) share() extent {
	x := extentOf(s.of, s.of.first, s.of.count)
	x.ghosts, x.countGhost = s.ghosts, s.countGhosts
	x.hosts = s.hostRuns()
	return x
}

// extentOf returns the share of some routers, without hosts and lanes that stand for others.
func extentOf(b *Block, number, count uint32) extent {
	first, last := b.routers.at(number), b.routers.at(number+count-1)
	return extent{
		b: b, first: number, count: count,
		ports: first.ports, endPorts: last.ports + uint32(last.slots)/b.vcs,
		lanes: first.lanes, endLanes: last.lanes + uint32(last.slots),
		timers: first.timers, endTimers: last.timers + uint32(last.first),
		masks: first.masks, endMasks: last.masks + uint32(last.words),
	}
}

// state goes over a block's share of the arrays of both paths and, on the fast path, over its
// lanes.
func (x extent) state(v *snapshot.Visitor) {
	b := x.b
	for r := x.first; r < x.first+x.count; r++ {
		s := b.routers.at(r)
		snapshot.Value(v, &s.armed)
		snapshot.Value(v, &s.far)
	}
	snapshot.Values(v, b.events.timers.slice(x.timers, x.endTimers-x.timers))
	snapshot.Values(v, b.events.armed.slice(x.masks, x.endMasks-x.masks))
	for row := range uint32(wheel) {
		snapshot.Values(v, b.events.due.slice(row*b.events.words+x.masks, x.endMasks-x.masks))
	}
	for _, run := range x.hosts {
		x.stateOfHosts(v, run)
	}
	if b.general != nil {
		b.general.all.share(v, x)
		if d := b.general.doors; d != nil {
			d.all.share(v, d.Doors, x)
		}
		return
	}
	lanes, more := b.lanes.all, b.lanes.more
	snapshot.Values(v, lanes.slice(x.lanes, x.endLanes-x.lanes))
	snapshot.Values(v, more.slice(x.lanes, x.endLanes-x.lanes))
	for _, run := range x.hosts {
		snapshot.Values(v, lanes.slice(b.nicLanes+run.nic*b.vcs, run.nics*b.vcs))
		snapshot.Values(v, more.slice(b.nicLanes+run.nic*b.vcs, run.nics*b.vcs))
		snapshot.Values(v, b.ports.ports.slice(b.nicPorts+run.nic, run.nics))
	}
	snapshot.Values(v, lanes.slice(x.ghosts, x.countGhost))
	snapshot.Values(v, more.slice(x.ghosts, x.countGhost))
	snapshot.Values(v, b.ports.ports.slice(x.ports, x.endPorts-x.ports))
	snapshot.Values(v, b.ports.more.slice(x.ports, x.endPorts-x.ports))
}

// stateOfHosts goes over the NICs of a run of hosts, and over their buses.
func (x extent) stateOfHosts(v *snapshot.Visitor, run hostRun) {
	b := x.b
	snapshot.Values(v, b.send.nics.slice(run.nic, run.nics))
	snapshot.Values(v, b.receive.nics.slice(run.nic, run.nics))
	if t := b.send.turns; t != nil {
		snapshot.Values(v, t.nics.slice(run.nic, run.nics))
	}
	if u := b.bus; u != nil {
		snapshot.Values(v, u.buses.slice(run.host, run.hosts))
		snapshot.Values(v, u.nics.slice(run.nic, run.nics))
	}
}

// state goes over a block's sums.
func (c *counters) state(v *snapshot.Visitor) {
	snapshot.Value(v, &c.sums)
	progress := c.progress.Load()
	snapshot.Value(v, &progress)
	c.progress.Store(progress)
}

// state goes over what is due when. Between windows nobody is visited, and nothing is on the
// agenda.
func (e *eventWheel) state(v *snapshot.Visitor) {
	e.calendar.state(v)
	snapshot.Value(v, &e.now)
	e.agenda.n, e.agenda.next = 0, 0
}

// state goes over the calendar.
func (c *calendar) state(v *snapshot.Visitor) {
	snapshot.Value(v, &c.length)
	snapshot.Value(v, &c.reciprocal)
	snapshot.Value(v, &c.window)
	snapshot.Value(v, &c.start)
	snapshot.Value(v, &c.end)
	snapshot.Value(v, &c.pending)
	snapshot.Values(v, c.bits.slice(0, c.bits.n))
	snapshot.Values(v, c.summary.slice(0, c.summary.n))
	snapshot.List(v, &c.far)
}

// state goes over the messages of the block's hosts.
func (t *messageTable) state(v *snapshot.Visitor) {
	used, extras := t.used, t.extraUsed
	snapshot.Value(v, &t.used)
	snapshot.Value(v, &t.free)
	snapshot.Value(v, &t.extraUsed)
	first(v, t.all.at(t.block), 1+t.used, 1+used)
	all := arrayOf(t.extras[t.block])
	first(v, &all, 1+t.extraUsed, 1+extras)
}

// first goes over the first n elements of an array. To restore it, the elements behind them up to
// number `before` are cleared, as if they had never been used.
func first[T any](v *snapshot.Visitor, a *array[T], n, before uint32) { within(v, a, 0, n, before) }

// within does what first does for the elements from number `from` to end-1.
func within[T any](v *snapshot.Visitor, a *array[T], from, end, before uint32) {
	if end > a.n || end < from {
		v.Fail(errTooMany)
		return
	}
	snapshot.Values(v, a.slice(from, end-from))
	if v.Restores() && end < before {
		clear(a.slice(end, before-end))
	}
}

// state goes over what the block has sent in the last round, which the others have not collected.
func (o *outbox) state(v *snapshot.Visitor) {
	snapshot.Value(v, &o.round)
	if len(o.boxes) == 1 {
		return
	}
	for i := range o.boxes {
		x := o.to(uint32(i))
		snapshot.List(v, &x.packets)
		snapshot.List(v, &x.credits)
		snapshot.List(v, &x.released)
		snapshot.List(v, &x.riders)
		snapshot.List(v, &x.feedback)
		snapshot.Value(v, &x.first)
		snapshot.Value(v, &x.over)
	}
}

// state goes over the small packets under way.
func (a *lookahead) state(v *snapshot.Visitor) {
	snapshot.Value(v, &a.small)
	snapshot.Value(v, &a.length)
}

// state goes over the packets of a block on the fast path.
func (p *packetPool) state(v *snapshot.Visitor) {
	used := p.used
	snapshot.Value(v, &p.used)
	snapshot.Value(v, &p.swept)
	snapshot.Value(v, &p.free)
	within(v, &p.packets, p.own.first, p.used, used)
	if p.spans.first != nil {
		within(v, &p.spans, p.own.first, p.used, used)
	}
}
