package bench

import (
	"context"

	"fabricast"
)

// Measure runs a case once in this process. The result's Host says what that
// took; its peak memory is the case's only if the process has done nothing else.
func Measure(ctx context.Context, name string, full bool) (*fabricast.Result, error) {
	cases, err := Select([]string{name})
	if err != nil {
		return nil, err
	}
	e := cases[0].at(full).Experiment
	return e.Run(ctx, fabricast.Workers(cases[0].Workers))
}
