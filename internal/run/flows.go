package run

import (
	"errors"
	"iter"
	"math"
	"slices"

	"fabricast/ethernet"
	"fabricast/experiment"
	"fabricast/internal/plan"
	"fabricast/internal/recording"
	"fabricast/internal/units"
	"fabricast/record"
)

// FlowResult is a flow that was followed (record.flows).
type FlowResult struct {
	Source      int         `json:"source_nic"`
	Destination int         `json:"destination_nic"`
	Class       int         `json:"class"`
	Bytes       units.Bytes `json:"payload_bytes"` // posted
	Begin       units.Time  `json:"begin_ps"`      // when the first message was posted
	// End is when all that had been posted was acknowledged; nil: never.
	End *units.Time `json:"end_ps"`
	// what follows is since SampledFrom: before, other flows of its NIC had more to send
	SampledFrom units.Time  `json:"sampled_from_ps"`
	Sent        units.Bytes `json:"wire_bytes"` // again or not
	Again       int64       `json:"sent_again"`
	Marked      int64       `json:"marked"` // marks that the sender learnt of
	Timeouts    int64       `json:"timeouts"`
	// the smallest and the largest window at the ends of intervals; nil: there was none
	LeastWindow *units.Bytes `json:"least_window_bytes,omitempty"`
	MostWindow  *units.Bytes `json:"most_window_bytes,omitempty"`
	LeastRate   float64      `json:"least_rate_bytes_per_s,omitempty"` // 0: packets left at the rate of the link
}

// following returns which flows of a network are followed; nil if none are.
func following(p *plan.Plan, r *experiment.FlowRecording) *ethernet.Following {
	most := r.Number()
	if most == 0 {
		return nil
	}
	among := func(hosts []int) func(int32) bool {
		if len(hosts) == 0 {
			return nil
		}
		in := make(map[int32]bool, len(hosts))
		for _, h := range hosts {
			in[int32(h)] = true
		}
		return func(host int32) bool { return in[host] }
	}
	return &ethernet.Following{
		Most: most, From: among(r.From), To: among(r.To), Interval: int64(recording.FirstInterval(p)),
	}
}

// flows returns the flows that were followed until a time.
func (s *simulation) flows(end units.Time) []ethernet.Course {
	if n := s.network.lossy; n != nil {
		return n.Followed(int64(end))
	}
	return nil
}

// unlimited is a window from which on there is none (bytes).
const unlimited = math.MaxInt64 / 2

// flowsOf sums up what flows have done.
func flowsOf(courses []ethernet.Course) (list []FlowResult) {
	for i := range courses {
		c := &courses[i]
		f := FlowResult{
			Source: int(c.Src), Destination: int(c.Dst), Class: int(c.Class), Bytes: units.Bytes(c.Posted),
			Begin: units.Time(c.Begin), SampledFrom: units.Time(c.SampledFrom),
		}
		if c.End >= 0 {
			end := units.Time(c.End)
			f.End = &end
		}
		for k := range c.Samples {
			f.add(&c.Samples[k])
		}
		list = append(list, f)
	}
	return list
}

// add adds what a flow has done in an interval.
func (f *FlowResult) add(s *ethernet.Sample) {
	f.Sent += units.Bytes(s.Sent)
	f.Again += int64(s.Again)
	f.Marked += int64(s.Marked)
	f.Timeouts += int64(s.Timeouts)
	if s.Rate > 0 && (f.LeastRate == 0 || s.Rate < f.LeastRate) {
		f.LeastRate = s.Rate
	}
	if s.Window >= unlimited {
		return
	}
	window := units.Bytes(s.Window)
	if f.LeastWindow == nil {
		least, most := window, window
		f.LeastWindow, f.MostWindow = &least, &most
	}
	*f.LeastWindow, *f.MostWindow = min(*f.LeastWindow, window), max(*f.MostWindow, window)
}

// flowRows yields the rows of the table of flows.
func flowRows(courses []ethernet.Course) iter.Seq[record.Flow] {
	return func(yield func(record.Flow) bool) {
		for i := range courses {
			c := &courses[i]
			if !yield(record.Flow{
				Flow: int32(i), Source: c.Src, Destination: c.Dst, Class: int32(c.Class), Bytes: c.Posted,
				Begin: c.Begin, End: c.End, SampledFrom: c.SampledFrom,
			}) {
				return
			}
		}
	}
}

// flowBinRows yields the rows of the table of flows over time.
func flowBinRows(courses []ethernet.Course) iter.Seq[record.FlowBin] {
	return func(yield func(record.FlowBin) bool) {
		for i := range courses {
			for _, s := range courses[i].Samples {
				row := record.FlowBin{
					Flow: int32(i), Bin: int32(s.Bin), Begin: s.Bin * courses[i].Interval, Interval: courses[i].Interval,
					Window: s.Window, Rate: s.Rate, UnderWay: max(0, s.Flying), Bytes: s.Sent,
					Again: int64(s.Again), Marked: int64(s.Marked), Timeouts: int64(s.Timeouts),
				}
				if row.Window >= unlimited {
					row.Window = -1
				}
				if !yield(row) {
					return
				}
			}
		}
	}
}

// recordFlows writes the tables of pauses and flows.
func (s *simulation) recordFlows(r *Result, about map[string]string) error {
	if rows := s.pauses(r.SimulatedTime); rows != nil {
		if err := record.WriteTable(s.folder, record.PausesTable, slices.Values(rows), about); err != nil {
			return err
		}
	}
	courses := s.flows(r.SimulatedTime)
	if courses == nil {
		return nil
	}
	return errors.Join(
		record.WriteTable(s.folder, record.FlowsTable, flowRows(courses), about),
		record.WriteTable(s.folder, record.FlowBinsTable, flowBinRows(courses), about),
	)
}
