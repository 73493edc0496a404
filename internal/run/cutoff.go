package run

import "fabricast/internal/units"

// leastCutoff is the shortest time without progress (ps) after which programs are cut off.
const leastCutoff = int64(units.Millisecond)

// cutoff finds out that programs beside endless traffic wait for links that stay down: no rank computes,
// and no packet has left or reached their hosts, since the last change of faults, for the larger half of
// the simulated time, and for leastCutoff.
type cutoff struct {
	packets uint64 // sent and received by the programs' hosts at the last progress
	since   int64  // time of the pause (ps) that saw that progress first
}

// found reports at a pause (ps) whether the programs are cut off. All processes call it at the same
// pauses, and find the same.
func (c *cutoff) found(s *simulation, at int64) bool {
	last, down := s.plan.Settled()
	if !down || at <= int64(last) {
		return false
	}
	if !s.jobs.idle(at) {
		c.since = at
		return false
	}
	if packets := s.programPackets(); packets != c.packets {
		c.packets, c.since = packets, at
	}
	since := max(c.since, int64(last))
	return at-since >= max(since, leastCutoff)
}

// programPackets counts the packets that the hosts of programs have sent and received.
func (s *simulation) programPackets() (packets uint64) {
	if n := s.network.across; n != nil {
		n.ShareUse()
	}
	g := s.plan.Fabric.Graph
	for _, p := range s.jobs.programs {
		for _, host := range p.Hosts {
			for nic := int(host) * g.NICsPerHost; nic < (int(host)+1)*g.NICsPerHost; nic++ {
				packets += s.network.nic(nic).Packets + s.network.port(int(g.NICPort[nic])).Packets
			}
		}
	}
	return packets
}
