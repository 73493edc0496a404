package traces

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/cli/ending"
	"fabricast/node"
	"fabricast/replay"
	"fabricast/trace"
	"fabricast/trace/formats"
)

// SizeJobs sets the number of ranks of each job with a trace from the trace. It is for commands
// that run nothing.
func SizeJobs(e *fabricast.Experiment) error {
	for i := range e.Jobs {
		if j := &e.Jobs[i]; j.Replays() {
			if _, err := SizedTrace(e, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// SizedTrace opens the trace of job i and sets the job's number of ranks from it.
func SizedTrace(e *fabricast.Experiment, i int) (trace.Trace, error) {
	j := &e.Jobs[i]
	source, err := OpenTraceOf(e, i)
	if err != nil {
		return nil, err
	}
	if j.Ranks != 0 && j.Ranks != source.Ranks() {
		return nil, e.Refuse(
			fmt.Sprintf("jobs[%d].ranks", i), strconv.Itoa(j.Ranks),
			fmt.Sprintf("%d, the ranks of the trace, or none", source.Ranks()), "",
		)
	}
	j.Ranks = source.Ranks()
	return source, nil
}

// OpenJob opens the trace of job i, and lets the job replay it, any number of times. With checks it returns
// an error if no rank enters a region whose computation is scaled.
func OpenJob(e *fabricast.Experiment, i int, checks bool) (*replay.Job, error) {
	j := &e.Jobs[i]
	source, err := SizedTrace(e, i)
	if err != nil {
		return nil, err
	}
	replayed, err := ReplayOf(source, j)
	if err == nil && checks {
		err = EntersScaled(e, i, source)
	}
	if err != nil {
		return nil, err
	}
	j.Launch, j.TwoSided = replayed.Launcher(), true
	j.Again = func() (node.Launcher, error) {
		source, err := OpenTraceOf(e, i)
		if err != nil {
			return nil, err
		}
		again, err := ReplayOf(source, j)
		if err != nil {
			return nil, err
		}
		return again.Launcher(), nil
	}
	return replayed, nil
}

// OpenTraceOf opens the trace of job i.
func OpenTraceOf(e *fabricast.Experiment, i int) (trace.Trace, error) {
	t := &e.Jobs[i].Trace
	var rates trace.Rates
	if t.Operations != 0 {
		rates = trace.Rates{float64(t.Operations)}
	}
	source, err := formats.Open(t.File, trace.Options{Operations: rates})
	if err != nil {
		return nil, &ending.UsageError{Err: err}
	}
	return source, nil
}

// EntersScaled returns an error if the computation of a region is scaled but no rank of the job's
// trace enters the region.
func EntersScaled(e *fabricast.Experiment, i int, source trace.Trace) error {
	var regions []string
	for name := range e.Jobs[i].Trace.Compute {
		if _, err := strconv.Atoi(name); err != nil {
			regions = append(regions, name)
		}
	}
	slices.Sort(regions)
	err := EntersRegions(context.Background(), source, regions)
	var lacking *regionError
	if errors.As(err, &lacking) {
		return e.Refuse(
			fmt.Sprintf("jobs[%d].trace.scale_compute", i), lacking.name, lacking.expected, lacking.hint,
		)
	}
	return err
}

// ReplayOf returns the replay of a job's trace, with the job's collectives and scales.
func ReplayOf(source trace.Trace, j *experiment.Job) (*replay.Job, error) {
	table, err := j.Collectives.Choose()
	if err != nil {
		return nil, err
	}
	o := replay.Options{
		Table: table, Partial: j.Trace.Partial, Sets: j.Trace.TaskSets,
		Scale: replay.Scale{
			Compute: float64(j.Compute.Factor), Messages: float64(j.Trace.Messages),
			Regions: map[string]float64{}, Ranks: map[int]float64{},
		},
	}
	if o.Scale.Messages == 0 {
		o.Scale.Messages = 1
	}
	for name, factor := range j.Trace.Compute {
		if rank, err := strconv.Atoi(name); err == nil {
			o.Scale.Ranks[rank] = float64(factor)
		} else {
			o.Scale.Regions[name] = float64(factor)
		}
	}
	replayed, err := replay.New(source, o)
	if err != nil {
		return nil, &ending.UsageError{Err: err}
	}
	return replayed, nil
}

// Launch makes the program in C of an experiment and its jobs that replay traces ready to run, once. The jobs
// are copied first, because copies of an experiment share them.
func Launch(e *fabricast.Experiment) error {
	if err := launchCommand(e); err != nil {
		return err
	}
	e.Jobs = slices.Clone(e.Jobs)
	for i := range e.Jobs {
		j := &e.Jobs[i]
		if !j.Replays() {
			continue
		}
		source, err := SizedTrace(e, i)
		if err != nil {
			return err
		}
		replayed, err := ReplayOf(source, j)
		if err != nil {
			return err
		}
		j.Launch, j.TwoSided = replayed.Launcher(), true
	}
	return nil
}
