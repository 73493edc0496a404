package pacing

import "fabricast/collective"

// Rule selects how the calls of a collective are paced.
type Rule struct {
	// gaps by the message overlap degree of each step
	MOD   bool
	Hops  bool                    // gaps by the largest hop count of each step (Network.HopGaps)
	Gap   uint32                  // constant gap in packet times, without MOD and Hops
	Scale func(gap uint32) uint32 // changes the gaps of MOD and Hops; nil: unchanged
	Every int                     // see Schedule
}

// Schedule computes the schedule of a collective. run calls the collective for one rank; hosts
// holds the host of each rank.
func (r Rule) Schedule(n *Network, hosts []int32, run func(c collective.Comm)) (*Schedule, error) {
	gaps := n.Gaps
	if r.Hops {
		gaps = n.HopGaps
	} else if !r.MOD {
		return &Schedule{Gaps: []uint32{r.Gap}, Every: r.Every}, nil
	}
	s, err := n.schedule(hosts, run, gaps)
	if err != nil {
		return nil, err
	}
	s.Every = r.Every
	if r.Scale != nil {
		for i, gap := range s.Gaps {
			s.Gaps[i] = r.Scale(gap)
		}
	}
	return s, nil
}
