package report

import (
	"fmt"

	"fabricast"
	"fabricast/internal/humanize"
)

// shownFaults is the number of faults in a text.
const shownFaults = 5

// faults adds what failed to a table.
func faults(t *table, r *fabricast.FaultsResult) {
	if r == nil {
		return
	}
	if r.Later > 0 {
		t.add("later faults", Count(r.Later), "after the end of the run, so that they did not change it")
	}
	if r.Count == 0 && r.Retried == 0 && r.Lost == 0 {
		return
	}
	text := fmt.Sprintf("packets: %s sent again by links, %s lost, ", Count(r.Retried), Count(r.Lost))
	if r.Repeated > 0 {
		text += fmt.Sprintf("%s repeated by NICs, ", Count(r.Repeated))
	}
	text += Count(r.Rerouted) + " rerouted"
	if r.LongestReroute != nil {
		text += ", at the latest after " + Time(*r.LongestReroute)
	}
	t.add("faults", Count(r.Count), text)
	for i := range r.Events[:min(shownFaults, len(r.Events))] {
		f := &r.Events[i]
		what, until := "down", " on"
		if f.Rate > 0 {
			what = "at " + Percent(f.Rate)
		}
		if f.To > 0 {
			until = " to " + Time(f.To)
		}
		reroute := ""
		if f.Reroute != nil {
			reroute = ", avoided after " + Time(*f.Reroute)
		}
		t.add("  "+f.Fails, what, "from "+Time(f.From)+until+reroute)
	}
	if more := r.Count - shownFaults; more > 0 {
		t.add("", "", "and "+humanize.Plural(more, "fault")+" more, in result.json")
	}
}
