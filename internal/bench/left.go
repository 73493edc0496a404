package bench

import (
	"time"

	"fabricast"
)

// Measured is the result of one run of a case.
type Measured struct {
	*fabricast.Result
	// LeftError is the largest factor by which the remaining time was over- or underestimated; 0 if
	// it was not evaluated.
	LeftError float64 `json:"left_error,omitempty"`
	// TraceEvents is the number of events read from a trace, in a case that only reads one.
	TraceEvents int64 `json:"trace_events,omitempty"`
}

const (
	leftInterval = 50 * time.Millisecond
	// leastJudged is the minimum length of a run whose estimates are evaluated.
	leastJudged = 4 * time.Second
	// Estimates are evaluated between these shares of the run. Earlier ones are based on too little
	// data; later, the remaining time is as short as the interval between estimates.
	judgedFrom, judgedTo = 0.1, 0.75
)

// watch collects the progress reports of a run.
type watch []fabricast.Progress

func (w *watch) add(p fabricast.Progress) { *w = append(*w, p) }

// leftError computes Measured.LeftError. The run is assumed to end at its last progress report.
func (w watch) leftError() (worst float64) {
	if len(w) == 0 || w[len(w)-1].Elapsed < leastJudged {
		return 0
	}
	end := float64(w[len(w)-1].Elapsed)
	for _, p := range w {
		at := float64(p.Elapsed)
		if p.Share > 0 && judgedFrom*end <= at && at <= judgedTo*end {
			ratio := max(float64(p.Left), 1) / (end - at)
			worst = max(worst, ratio, 1/ratio)
		}
	}
	return worst
}
