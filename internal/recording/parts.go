package recording

import "fabricast/internal/cluster"

// Each part of a run that may be rolled back has a recorder. The functions here handle those of a
// process together.

// HandOn passes on what the parts of this process have reported in windows before a time (ps),
// which are final: in the first process to the tables, in other processes to the next exchange. All
// parts may be nil.
func HandOn(parts []*Recorder, until int64) {
	first := parts[0]
	if first == nil {
		return
	}
	for _, r := range parts {
		r.held.stands(until)
	}
	if first.relay == nil {
		first.takeReports(0, struct{}{}, reportsOf(parts[1:]))
	}
}

// Control returns the control that carries reports of other processes' parts to the first part of
// all; nil if nothing is recorded, or if there is one process.
func Control(parts []*Recorder, g cluster.Group) *cluster.Control {
	first := parts[0]
	if first == nil {
		return nil
	}
	c := cluster.NewControl(g)
	reports := cluster.Register(c, first.takeReports)
	if first.relay != nil {
		none := func() bool { return false } // reports are never urgent
		c.Source(none, func() { reports.Send(0, false, struct{}{}, reportsOf(parts)) })
	}
	return c
}

// reportsOf returns the reports of parts since the last call, for the first part of all.
func reportsOf(parts []*Recorder) (data []byte) {
	for _, r := range parts {
		if b := &r.relay.blocks[0]; len(b.data) > 0 || b.windows > relayWindows {
			data = append(data, r.relay.reports()...)
		}
	}
	return data
}
