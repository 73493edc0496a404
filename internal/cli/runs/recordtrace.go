package runs

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"fabricast"
	"fabricast/experiment"
	"fabricast/record"
	"fabricast/replay"
)

// Values of --record that request a trace.
const (
	recordTrace = "trace"
	recordOTF2  = "otf2"
)

// recordingNames returns the valid values of --record.
func recordingNames() []string {
	return append(slices.Clone(experiment.RecordingNames), recordTrace, recordOTF2)
}

// recordsTrace reports whether --record requests a trace.
func (f *runFlags) recordsTrace() bool {
	return slices.Contains(f.record, recordTrace) || slices.Contains(f.record, recordOTF2)
}

// runOf is a function that runs a simulation.
type runOf func(ctx context.Context, options ...fabricast.Option) (*fabricast.Result, error)

// recordTraces runs an experiment and records the operations of its ranks as a trace, or as one
// trace per job if there are several jobs.
func (f *runFlags) recordTraces(
	ctx context.Context, e *fabricast.Experiment, run runOf, options []fabricast.Option,
) (*fabricast.Result, error) {
	var recorders []*replay.Recorder
	add := func(job string, factor float64, name func(file string) string) {
		r := f.recorder(factor, name)
		recorders, options = append(recorders, r), append(options, fabricast.TracePrograms(job, r))
	}
	if e.HasJobs() {
		for i := range e.Jobs {
			if j := &e.Jobs[i]; !j.HasTraffic() {
				add(j.Name, float64(j.Compute.Factor), func(file string) string {
					return record.JobTrace(file, j.Name)
				})
			}
		}
	} else {
		add("", float64(e.Compute.Factor), func(file string) string { return file })
	}
	for _, r := range recorders {
		defer r.Abandon()
	}
	result, err := run(ctx, options...)
	f.fellows.agreed = true
	if result != nil {
		for _, r := range recorders {
			err = errors.Join(err, r.Close())
		}
	}
	return result, err
}

// recorder returns a recorder of the traces that --record requests. name maps default file names to
// actual file names.
func (f *runFlags) recorder(factor float64, name func(file string) string) *replay.Recorder {
	r := replay.NewRecorders(factor)
	r.Across(f.fellows.Processes)
	if slices.Contains(f.record, recordTrace) {
		r.Native(filepath.Join(f.out, name(record.TraceFile)), filepath.Dir(f.out))
	}
	if slices.Contains(f.record, recordOTF2) {
		r.OTF2(filepath.Join(f.out, name(record.TraceArchive)), filepath.Dir(f.out))
	}
	return r
}
