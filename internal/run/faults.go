package run

import (
	"fabricast/ethernet"
	"fabricast/fabric"
	"fabricast/internal/plan"
	"fabricast/internal/units"
)

// mostFaults limits the faults that a result lists.
const mostFaults = 100

// FaultsResult is what failed during a run, and what became of packets.
type FaultsResult struct {
	Count int `json:"count"`           // of faults that began before the end of the run
	Later int `json:"later,omitempty"` // of faults that would have begun after it
	// Events are the first faults, at most 100.
	Events []FaultResult `json:"events"`
	// LongestReroute is the longest time to reroute of all faults (ps); nil if packets avoided none.
	LongestReroute *units.Time `json:"longest_reroute_ps,omitempty"`
	// Retried is how often a link lost a packet and sent it again.
	Retried int64 `json:"packets_retried"`
	// Lost is how often packets were lost: to links that were down (faults.packets: lose), or in a
	// network that drops or pauses packets to bit errors and links that were down.
	Lost int64 `json:"packets_lost"`
	// Repeated is how often NICs have sent packets again that links that were down had lost.
	Repeated int64 `json:"packets_repeated"`
	// Rerouted is the number of packets that tables without links that are down led another way; in a network
	// that drops or pauses packets, of those with payload that routers did, sent again or not.
	Rerouted int64 `json:"packets_rerouted"`
}

// FaultResult is a fault that began before the end of a run.
type FaultResult struct {
	Fails string     `json:"fails"` // such as "link 3-17"
	From  units.Time `json:"from_ps"`
	To    units.Time `json:"to_ps,omitempty"`      // 0: it lasts until the end
	Rate  float64    `json:"rate_share,omitempty"` // of the bandwidth that is left; 0: down
	// Reroute is the time from the fault until packets avoid it: until tables change, or 0 with adaptive
	// routing, or if they changed before. Nil: no packets avoid it before it is back or the run ends.
	Reroute *units.Time `json:"reroute_ps,omitempty"`
}

// faultsOf returns the faults of a plan until the end of a run; nil if there are none.
func faultsOf(p *plan.Plan, end units.Time, t *fabric.Totals, lossy *ethernet.Counts) *FaultsResult {
	r := &FaultsResult{
		Retried: int64(t.Retried), Lost: int64(t.Lost), Repeated: int64(t.Repeated), Rerouted: int64(t.Rerouted),
		Events: []FaultResult{},
	}
	for i := range p.Outages {
		o := &p.Outages[i]
		if o.From > end {
			r.Later++
			continue
		}
		f := FaultResult{Fails: o.Name, From: o.From, Rate: o.Rate.Float()}
		if o.Ends() {
			f.To = o.To
		}
		if o.Avoided <= end && (!o.Ends() || o.Avoided < o.To) { // else it was back before, or never avoided
			after := max(0, o.Avoided-o.From)
			f.Reroute = &after
			if r.LongestReroute == nil || after > *r.LongestReroute {
				r.LongestReroute = &after
			}
		}
		if r.Count++; r.Count <= mostFaults {
			r.Events = append(r.Events, f)
		}
	}
	if lossy != nil {
		r.Rerouted += int64(lossy.Rerouted)
		r.Lost += int64(lossy.Damaged + lossy.HeadersDamaged + lossy.Lost + lossy.HeadersLost)
	}
	if r.Count == 0 && r.Later == 0 && r.Retried == 0 && r.Lost == 0 {
		return nil
	}
	return r
}
