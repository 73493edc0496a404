package fabric

import (
	"fabricast/internal/snapshot"
)

// Stateful is an Endpoint that goes over its own mutable state together with its block's.
type Stateful interface {
	State(v *snapshot.Visitor)
}

// Save saves the state of the block and its endpoint between two windows. The states of all blocks
// of a network, saved between the same windows, are one state of the network. Snapshots of single
// blocks are not: a message's record belongs to the block that sent it, and the receiving block
// changes it.
func (b *Block) Save(to *snapshot.Snapshot) { to.Save(b.walk()) }

// Restore makes the block and its endpoint what they were at Save. The next round of the engine
// must be numbered like the one that followed then, at least modulo 2.
func (b *Block) Restore(from *snapshot.Snapshot) { from.Restore(b.walk()) }

// walk returns State as a function, which it makes once.
func (b *Block) walk() func(*snapshot.Visitor) {
	if b.walks == nil {
		b.walks = b.State
	}
	return b.walks
}

// State goes over all that changes during a run in the block and its endpoint.
func (b *Block) State(v *snapshot.Visitor) {
	b.share().state(v)
	b.counters.state(v)
	b.events.state(v)
	b.messages.state(v)
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
	if b.observer != nil {
		b.observer.state(v)
	}
	if e, ok := b.endpoint.(Stateful); ok {
		e.State(v)
	}
	if v.Restores() {
		b.tell()
	}
}

// Round returns the number of the last round in which the block has run.
func (b *Block) Round() uint64 { return b.mail.round }

// extent is a block's share of the arrays that all blocks have together.
type extent struct {
	b                  *Block
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
func (b *Block) hostRuns() []hostRun {
	if b.runs != nil {
		return b.runs
	}
	each := uint32(b.spec.Graph.NICsPerHost)
	for h := range b.Hosts() {
		host := uint32(h)
		if n := len(b.runs); n > 0 && b.runs[n-1].host+b.runs[n-1].hosts == host {
			b.runs[n-1].hosts++
			b.runs[n-1].nics += each
			continue
		}
		b.runs = append(b.runs, hostRun{host, 1, host * each, each})
	}
	return b.runs
}

// share returns the block's share of the arrays that all blocks have together.
func (b *Block) share() extent {
	first, last := b.routers.at(b.first), b.routers.at(b.first+b.count-1)
	x := extent{
		b: b, ports: first.ports, endPorts: last.ports + uint32(last.slots)/b.vcs,
		lanes: first.lanes, endLanes: last.lanes + uint32(last.slots),
		timers: first.timers, endTimers: last.timers + uint32(last.first),
		masks: first.masks, endMasks: last.masks + uint32(last.words),
		ghosts: b.ghosts, countGhost: b.countGhosts,
	}
	x.hosts = b.hostRuns()
	return x
}

// state goes over a block's share of the arrays of both paths and, on the fast path, over its
// lanes.
func (x extent) state(v *snapshot.Visitor) {
	b := x.b
	for r := b.first; r < b.first+b.count; r++ {
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
		b.stateOfHosts(v, run)
	}
	if b.general != nil {
		b.general.all.share(v, x)
		return
	}
	lanes := b.lanes.all
	snapshot.Values(v, lanes.slice(x.lanes, x.endLanes-x.lanes))
	for _, run := range x.hosts {
		snapshot.Values(v, lanes.slice(b.nicLanes+run.nic*b.vcs, run.nics*b.vcs))
	}
	snapshot.Values(v, lanes.slice(x.ghosts, x.countGhost))
	snapshot.Values(v, b.ports.clocks.slice(x.ports, x.endPorts-x.ports))
	snapshot.Values(v, b.ports.more.slice(x.ports, x.endPorts-x.ports))
}

// stateOfHosts goes over the NICs of a run of hosts, and over their buses.
func (b *Block) stateOfHosts(v *snapshot.Visitor, run hostRun) {
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
func first[T any](v *snapshot.Visitor, a *array[T], n, before uint32) {
	if n > a.n {
		v.Fail(errTooMany)
		return
	}
	snapshot.Values(v, a.slice(0, n))
	if v.Restores() && n < before {
		clear(a.slice(n, before-n))
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
	snapshot.Value(v, &p.free)
	first(v, &p.packets, p.used, used)
	if p.spans.first != nil {
		first(v, &p.spans, p.used, used)
	}
}
