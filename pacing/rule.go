package pacing

import "fabricast/collective"

// Rule selects how the calls of a collective are paced.
type Rule struct {
	// MOD selects gaps by the message overlap degree of each step.
	MOD   bool
	Hops  bool                    // select gaps by the largest hop count of each step (Network.HopGaps)
	Gap   uint32                  // constant gap in packet times, if neither MOD nor Hops is set
	Scale func(gap uint32) uint32 // transforms the gaps of MOD and Hops; nil: unchanged
	Every int                     // number of steps between barriers, see Schedule.Every
}

// Schedule computes the schedule of a collective. run calls the collective for one rank, and hosts
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
