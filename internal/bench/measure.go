package bench

import (
	"context"

	"fabricast"
)

// Measure runs a case once in this process. The result's Host holds the cost. Its peak memory is
// that of the case only if the process has done nothing else.
func Measure(ctx context.Context, name string, full bool) (*Measured, error) {
	cases, err := Select([]string{name})
	if err != nil {
		return nil, err
	}
	if cases[0].Trace != nil {
		return measureReading(cases[0], full)
	}
	e := cases[0].at(full).Experiment
	var w watch
	r, err := e.Run(ctx, fabricast.Workers(cases[0].Workers), fabricast.OnProgress(leftInterval, w.add))
	if err != nil {
		return nil, err
	}
	return &Measured{Result: r, LeftError: w.leftError()}, nil
}
