package recording

import "fabricast/internal/cluster"

// Parts of a run that may be taken back each have a recorder. In each process they are driven together.

// HandOn hands on what the parts of this process have reported in windows before a time (ps), which
// stand: in the first process to the tables, in others for the next exchange. All may be nil.
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

// Control carries what the parts of other processes have reported to the first of all; nil if nothing is
// recorded, or there is one process.
func Control(parts []*Recorder, g cluster.Group) *cluster.Control {
	first := parts[0]
	if first == nil {
		return nil
	}
	c := cluster.NewControl(g)
	reports := cluster.Register(c, first.takeReports)
	if first.relay != nil {
		none := func() bool { return false } // exchanges do not wait for them
		c.Source(none, func() { reports.Send(0, false, struct{}{}, reportsOf(parts)) })
	}
	return c
}

// reportsOf returns what parts have reported since the last call, for the first of all.
func reportsOf(parts []*Recorder) (data []byte) {
	for _, r := range parts {
		if b := &r.relay.blocks[0]; len(b.data) > 0 || b.windows > relayWindows {
			data = append(data, r.relay.reports()...)
		}
	}
	return data
}
