package reports

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/internal/difference"
	"fabricast/internal/leftover"
	"fabricast/internal/units"
	"fabricast/record"
)

// firstDifference finds the first event at which two runs differ. A folder without causes, or the file
// of an experiment, is run for them first.
func (f *compareFlags) firstDifference(cmd *cobra.Command, paths []string) error {
	if f.html != "" || len(f.models.models) > 0 {
		return cmdline.Usage(cmd, errors.New("found --first-difference with --html or --models, expected it without them"))
	}
	if len(paths) != 2 {
		return cmdline.WrongArguments(cmd, paths, "two result folders, or files of experiments, with --first-difference")
	}
	temp, remove, err := leftover.TempDir("fabricast-")
	if err != nil {
		return err
	}
	defer remove()
	var readers [2]*record.Reader
	for i, path := range paths {
		if readers[i], err = withCauses(cmd, path, filepath.Join(temp, strconv.Itoa(i))); err != nil {
			return err
		}
	}
	d, err := ending.UntilInterrupted(cmd.Context(), func() (*difference.Difference, error) {
		return difference.Find(readers[0], readers[1])
	})
	if err != nil {
		return err
	}
	if err := addPackets(cmd, d, paths, temp); err != nil {
		return err
	}
	return console.Show(cmd, f.json, d, difference.Text)
}

// addPackets runs both experiments again, if their files are known, for the packets around the first
// message that differs.
func addPackets(cmd *cobra.Command, d *difference.Difference, paths []string, temp string) error {
	from, to, ok := d.Window()
	if !ok {
		return nil
	}
	var logs [2]*record.Reader
	for i, path := range paths {
		e, err := fabricast.Load(experimentFile(path))
		if err != nil {
			return nil // such as that of a program in Go: the messages tell enough
		}
		layout, err := e.Layout()
		if err != nil {
			return err
		}
		log := experiment.BufferLogging{From: units.Time(from), To: units.Time(to + 1)}
		for router := range min(layout.Topology.Graph().Routers, mostLogged) {
			log.Routers = append(log.Routers, router)
		}
		e.Record = experiment.Recording{Buffers: log}
		folder := filepath.Join(temp, "packets"+strconv.Itoa(i))
		if _, err := e.Run(cmd.Context(), fabricast.Record(folder)); err != nil {
			return err
		}
		if logs[i], err = record.Open(folder); err != nil {
			return err
		}
	}
	return d.Packets(logs[0], logs[1])
}

// mostLogged is the largest number of routers whose packets are logged.
const mostLogged = 1 << 12

// experimentFile returns the file of the experiment that a path names: the path, or that of a result
// folder.
func experimentFile(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, record.ExperimentFile)
	}
	return path
}

// withCauses opens a result folder that holds causes. If path does not, its experiment is run with
// causes, into the given folder.
func withCauses(cmd *cobra.Command, path, folder string) (*record.Reader, error) {
	file := experimentFile(path)
	if file != path {
		r, err := record.Open(path)
		if err != nil || r.Has(record.StepsTable) || r.Has(record.CausesTable) {
			return r, err
		}
	}
	e, err := ending.UntilInterrupted(cmd.Context(), func() (*fabricast.Experiment, error) { return fabricast.Load(file) })
	switch {
	case err != nil && file != path:
		return nil, cmdline.Usage(cmd, fmt.Errorf("%s holds no causes, and cannot be run again: run with --record causes (%w)", path, err))
	case err != nil:
		return nil, err
	}
	e.Record = experiment.Recording{}
	e.Record.Set("causes")
	if _, err := e.Run(cmd.Context(), fabricast.Record(folder)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return record.Open(folder)
}
