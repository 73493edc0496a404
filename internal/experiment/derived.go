package experiment

import "fabricast/internal/units"

// What follows from several fields is derived here, once.

// MemoryRate returns the bandwidth (bytes/s) between memory and a NIC in each direction: the lower
// of DMA and I/O bus.
func (r *Resolved) MemoryRate() units.Rate {
	if bus := r.Node.IOBus; bus.Bandwidth > 0 {
		return min(r.Node.DMA, bus.Bandwidth)
	}
	return r.Node.DMA
}

// LeastSetup returns the size (bytes) above which messages take the time Setup of software.
func (p *Protocol) LeastSetup() units.Bytes {
	if p.SetupAbove != nil {
		return *p.SetupAbove
	}
	return p.Eager
}

// RouterDelay returns the time (ps) that the head of a packet takes through an idle router.
func (r *Resolved) RouterDelay() units.Time { return r.Network.Router.Delay() }

// Delay returns the time (ps) that the head of a packet takes through the router if it is idle.
func (r *Router) Delay() units.Time {
	return r.Routing + r.VCAllocation + r.SwitchAllocation + r.SwitchTraversal + r.Latency
}
