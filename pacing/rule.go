package pacing

import "fabricast/collective"

// Rule says how the calls of a collective are paced.
type Rule struct {
	MOD   bool                    // by the message overlap degree of each step, on the ranks of the call
	Gap   uint32                  // packet times, without MOD
	Scale func(mod uint32) uint32 // what is made of MOD's gaps; nil: nothing
	Every int                     // see Schedule
}

// Schedule is that of a collective, which the function calls for a rank, on ranks that run on the given hosts.
func (r Rule) Schedule(n *Network, hosts []int32, run func(c collective.Comm)) (*Schedule, error) {
	if !r.MOD {
		return &Schedule{Gaps: []uint32{r.Gap}, Every: r.Every}, nil
	}
	s, err := n.Schedule(hosts, run)
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
