package experiment

import (
	"fabricast/collective"
	"fabricast/internal/failure"
	"fabricast/internal/netfile"
	"fabricast/internal/units"
	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// Resolved is an experiment that has all defaults filled in and has passed all checks. It is
// immutable. Defaults that depend on the network (see Open) are changed by package plan, in a copy.
type Resolved struct{ Experiment }

// Resolve fills in the defaults of an experiment and checks it. The error is a
// *failure.ConfigError. In case of an error, the returned experiment has those defaults that could
// be filled in.
func Resolve(e Experiment) (*Resolved, error) {
	e.normalize()
	e.fillDefaults()
	problems := e.validate()
	e.positions.Locate(problems)
	if len(problems) == 0 {
		e.dropNothing()
	}
	return &Resolved{e}, failure.NewConfigError(problems)
}

// ResolveNetwork is like Resolve for an experiment of which only the network is used: the program
// or traffic may be missing.
func ResolveNetwork(e Experiment) (*Resolved, error) {
	if !e.HasTraffic() && !e.OwnProgram() && !e.HasJobs() && !e.positions.Has("workload") &&
		e.Workload.Program == "" {
		e.Workload.Program = string(collective.KindBarrier)
	}
	return Resolve(e)
}

// Open reports whether the number of virtual channels and the routing algorithm are defaults, which
// package plan may still change.
func (r *Resolved) Open() (vcs, routing bool) { return r.vcsOpen, r.routingOpen }

// WithVCs returns a copy of the experiment with n virtual channels per port.
func (r *Resolved) WithVCs(n int) *Resolved {
	changed := *r
	changed.Network.Router.VCs = n
	return &changed
}

// WithRouting returns a copy of the experiment with another routing, which is no longer open.
func (r *Resolved) WithRouting(other routing.Spec) *Resolved {
	changed := *r
	changed.Network.Routing, changed.routingOpen = other, false
	return &changed
}

// Baseline returns the resolved experiment without imbalance and noise if its run time is needed,
// and nil otherwise (see Experiment.Baseline).
func (r *Resolved) Baseline() *Resolved {
	balanced := r.Experiment.Baseline()
	if balanced == nil {
		return nil
	}
	return &Resolved{*balanced}
}

// Spec returns the specification of the topology.
func (r *Resolved) Spec() topology.Spec { return r.network.spec }

// Cables returns the link parameters set in network files, by link class.
func (r *Resolved) Cables() map[string]netfile.Cable { return r.network.cables }

// PassedOver returns the names of the link attributes in network files that have no effect.
func (r *Resolved) PassedOver() []string { return r.network.unread }

// NetworkFindings returns what in the network file is probably wrong.
func (r *Resolved) NetworkFindings() []netfile.Finding {
	if r.network.file == nil {
		return nil
	}
	return r.network.file.Reading.Findings
}

// Reports returns the cache of deadlock checks. It may be nil, which disables caching.
func (r *Resolved) Reports() *deadlock.Reports { return r.proofs }

// KeepingReports returns r, or a copy with a new cache of deadlock checks if r has none.
func (r *Resolved) KeepingReports() *Resolved {
	if r.proofs != nil {
		return r
	}
	keeping := *r
	keeping.proofs = new(deadlock.Reports)
	return &keeping
}

// Answered reports whether NICs may send control packets in response to messages, as in a
// rendezvous or one-sided communication.
func (r *Resolved) Answered() bool {
	return r.OwnProgram() && !r.TwoSided || r.Node.Protocol.Rendezvous != "" || r.puts()
}

// SeveralNICs reports whether messages between the same two hosts may use different NICs.
func (r *Resolved) SeveralNICs() bool {
	return r.Node.NICs > 1 && (r.Node.NICChoice == NICRoundRobin || r.OwnProgram())
}

// Values derived from several fields.

// MemoryRate returns the bandwidth in bytes per second between memory and a NIC, per direction: the
// lower of DMA and I/O bus.
func (r *Resolved) MemoryRate() units.Rate {
	if bus := r.Node.IOBus; bus.Bandwidth > 0 {
		return min(r.Node.DMA, bus.Bandwidth)
	}
	return r.Node.DMA
}

// LeastSetup returns the size in bytes above which messages take the additional software time
// Setup.
func (p *Protocol) LeastSetup() units.Bytes {
	if p.SetupAbove != nil {
		return *p.SetupAbove
	}
	return p.Eager
}

// RouterDelay returns the time (ps) that the head of a packet takes to pass an idle router.
func (r *Resolved) RouterDelay() units.Time { return r.Network.Router.Delay() }

// Delay returns the time (ps) that the head of a packet takes to pass the router when it is idle.
func (r *Router) Delay() units.Time {
	return r.Routing + r.VCAllocation + r.SwitchAllocation + r.SwitchTraversal + r.Latency
}
