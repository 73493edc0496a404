package cli

import (
	"errors"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"fabricast"
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
	recorder := replay.NewRecorders(float64(e.Compute.Factor))
	if slices.Contains(f.record, recordTrace) {
		recorder.Native(filepath.Join(f.out, record.TraceFile), filepath.Dir(f.out))
	}
	if slices.Contains(f.record, recordOTF2) {
		recorder.OTF2(filepath.Join(f.out, record.TraceArchive), filepath.Dir(f.out))
	}
	defer recorder.Abandon()
	result, err := e.Run(cmd.Context(), append(options, fabricast.WrapPrograms(recorder.Wrap))...)
	if result != nil {
		err = errors.Join(err, recorder.Close())
	}
	return result, err
}
