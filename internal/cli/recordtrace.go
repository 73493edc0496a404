package cli

import (
	"errors"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/node"
	"fabricast/record"
	"fabricast/replay"
)

// recordTrace is the value of --record that selects a trace.
const (
	recordTrace = "trace"
	recordOTF2  = "otf2"
)

// recordingNames lists the values of --record.
func recordingNames() []string {
	return append(slices.Clone(fabricast.RecordingNames), recordTrace, recordOTF2)
}

// recordTrace runs an experiment and records the operations of its ranks as a trace.
func (f *runFlags) recordTrace(
	cmd *cobra.Command,
	e *fabricast.Experiment,
	options []fabricast.Option,
) (*fabricast.Result, error) {
	recorder := f.recorder(float64(e.Compute.Factor), func(file string) string { return file })
	defer recorder.Abandon()
	result, err := e.Run(cmd.Context(), append(options, fabricast.WrapPrograms(recorder.Wrap))...)
	f.fellows.agreed = true
	if result != nil {
		err = errors.Join(err, recorder.Close())
	}
	return result, err
}

// recordJobs is recordTrace for several jobs: each has a trace of its own.
func (f *runFlags) recordJobs(
	cmd *cobra.Command,
	e *fabricast.Experiment,
	options []fabricast.Option,
) (*fabricast.Result, error) {
	recorders := map[string]*replay.Recorder{}
	for i := range e.Jobs {
		if j := &e.Jobs[i]; !j.HasTraffic() {
			name := func(file string) string { return record.JobTrace(file, j.Name) }
			recorders[j.Name] = f.recorder(float64(j.Compute.Factor), name)
			defer recorders[j.Name].Abandon()
		}
	}
	wrap := func(job string, launch node.Launcher) node.Launcher { return recorders[job].Wrap(launch) }
	result, err := e.Run(cmd.Context(), append(options, fabricast.WrapJobs(wrap))...)
	f.fellows.agreed = true
	if result != nil {
		for i := range e.Jobs {
			if r := recorders[e.Jobs[i].Name]; r != nil {
				err = errors.Join(err, r.Close())
			}
		}
	}
	return result, err
}

// recorder returns a recorder of the traces that --record selects. name tells their files' names by
// the usual ones.
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
