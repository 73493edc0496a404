package sweep

import (
	"math"

	"fabricast"
)

// congestionFigures count what the control of congestion has done, and what became of packets in a
// network that drops or pauses them. They are NaN for networks without either.
var congestionFigures = []figure{
	{"marked", ofControl(
		func(r *fabricast.Result) float64 { return float64(r.Congestion.Marked) },
		func(r *fabricast.Result) float64 { return float64(r.CongestionControl.Marked) },
	)},
	{"notifications", ofControl(
		func(r *fabricast.Result) float64 { return float64(r.Congestion.Notifications) },
		func(r *fabricast.Result) float64 { return float64(r.CongestionControl.Notifications) },
	)},
	{"throttled_ps", ofControl(nil, func(r *fabricast.Result) float64 { return float64(r.CongestionControl.Throttled) })},
	{"dropped", ofControl(func(r *fabricast.Result) float64 { return float64(r.Congestion.Dropped) }, nil)},
	{"trimmed", ofControl(func(r *fabricast.Result) float64 { return float64(r.Congestion.Trimmed) }, nil)},
	{"sent_again", ofControl(func(r *fabricast.Result) float64 { return float64(r.Congestion.Again) }, nil)},
	{"timeouts", ofControl(func(r *fabricast.Result) float64 { return float64(r.Congestion.Timeouts) }, nil)},
	{"pauses", ofControl(func(r *fabricast.Result) float64 { return float64(r.Congestion.Pauses) }, nil)},
	{"paused_ps", ofControl(func(r *fabricast.Result) float64 { return float64(r.Congestion.Paused) }, nil)},
}

// ofControl returns a function that reads a figure from the result of a network that drops or pauses
// packets, or from that of one of credits with control; NaN where there is none.
func ofControl(ethernet, credits func(*fabricast.Result) float64) func(*fabricast.Result) any {
	return func(r *fabricast.Result) any {
		switch {
		case r.Congestion != nil && ethernet != nil:
			return ethernet(r)
		case r.CongestionControl != nil && credits != nil:
			return credits(r)
		}
		return math.NaN()
	}
}
