package traffic

import (
	"fmt"

	"fabricast/topology"
)

var _ = register(90, Kind{
	Name: "hot-spot", Summary: "a share of the messages goes to the hot hosts, the rest to all",
	Params:      []string{"hosts", "share"},
	Example:     "hosts: [0], share: 10%",
	Destination: "with probability `share` one of `hosts`, else any host",
	Source:      "Pfister and Norton 1985",
	build:       newHotSpot,
})

// hotSpot is uniform traffic in which an additional share of the messages goes to a few hot hosts
// (Pfister and Norton, IEEE Trans. Computers 1985).
type hotSpot struct {
	hosts int
	hot   []int32
	share int
}

func newHotSpot(s Spec, t topology.Topology) (Pattern, error) {
	n := hosts(t)
	if len(s.Hosts) == 0 {
		return nil, &Problem{
			Field:    "hosts",
			Found:    "nothing",
			Expected: "the numbers of the hot hosts, such as [0]",
		}
	}
	for i, h := range s.Hosts {
		if h < 0 || int(h) >= n {
			return nil, &Problem{
				Field:    fmt.Sprintf("hosts[%d]", i),
				Found:    fmt.Sprint(h),
				Expected: fmt.Sprintf("a host from 0 to %d", n-1),
			}
		}
	}
	if s.Share <= 0 || s.Share > LoadUnit {
		return nil, &Problem{
			Field:    "share",
			Found:    fmt.Sprint(float64(s.Share) / LoadUnit),
			Expected: "a share above 0, up to 1",
		}
	}
	return &hotSpot{n, s.Hosts, int(s.Share)}, nil
}

// Destination implements Pattern.
func (h *hotSpot) Destination(_ int32, d *Draws) int32 {
	if d.Below(LoadUnit) < h.share {
		return h.hot[d.Below(len(h.hot))]
	}
	return int32(d.Below(h.hosts))
}
