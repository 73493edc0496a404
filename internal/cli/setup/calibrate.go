package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/calibrate"
	"fabricast/internal/atomicfile"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/internal/config"
	"fabricast/internal/humanize"
)

// calibrateFlags holds the flags of fabricast calibrate.
type calibrateFlags struct {
	network    string
	format     string
	defaults   calibrate.Defaults
	fit        []string
	hold       float64
	out        string
	outcomes   string
	experiment cmdline.ExperimentFlags
	json       bool
}

func NewCalibrate() *cobra.Command {
	var f calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate MEASUREMENTS... --network FILE.yaml",
		Short: "Fit the parameters of a network and its nodes to measurements, by simulation",
		Long: `Fit the parameters of a network and its nodes to measurements, by simulation: bandwidth, software
overhead, latencies, the pause of NICs, the rates of memory and of work on data, the eager limit,
copies; of networks without packets those of their model. Measurements are the output of OSU
micro-benchmarks, Intel MPI Benchmarks or nccl-tests, or comma-separated values with the columns
program, algorithm, size, ranks, shape, time, low and high. The network's file with the parameters
that were found is written to --out, with their confidence intervals. What the measurements do not
determine stays as it is and is reported. A part of the measurements is held back, to tell how far
predictions of others will be off. A calibration that was interrupted goes on where it stopped.`,
		Example: `  fabricast calibrate osu_latency.txt --network cluster.yaml --out calibrated.yaml
  fabricast calibrate measured.csv --network fugaku.yaml --fit bandwidth,overhead`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.network, "network", "", "the `file` of the network and its nodes, whose "+
		"parameters are fitted")
	flags.StringVar(&f.format, "format", "", "the `format` of the measurements: "+
		strings.Join(calibrate.FormatNames(), ", ")+" (default: the one that they are in)")
	cmdline.Count(flags, &f.defaults.Ranks, "ranks", 1, "how many `ranks` took part, where the measurements "+
		"do not say (default all)")
	flags.StringVar(&f.defaults.Program, "program", "", "the `program` that nccl-tests measured, "+
		"where its output does not say")
	flags.StringSliceVar(&f.fit, "fit", nil, "fit only these `parameters`: "+
		strings.Join(calibrate.Names(), ", "))
	f.hold = 0.2
	flags.Var(cmdline.UpTo(&f.hold, 0.5), "hold", "the `share` of the measurements that is held back")
	flags.StringVar(&f.out, "out", "calibrated.yaml", "write the network with its parameters to this `file`")
	flags.StringVar(&f.outcomes, "outcomes", "", "write every measurement and its prediction to "+
		"this CSV `file`")
	flags.StringArrayVar(&f.experiment.Set, "set", nil, "replace a field of the network's file by "+
		"its `path=value` (repeatable)")
	flags.BoolVar(&f.json, "json", false, "print the result as JSON")
	_ = cmd.RegisterFlagCompletionFunc("network", experimentFilesOf)
	cmdline.Completes(cmd, "format", calibrate.FormatNames()...)
	cmdline.Completes(cmd, "fit", calibrate.Names()...)
	return cmd
}

// experimentFilesOf completes the names of experiment files as values of a flag.
func experimentFilesOf(cmd *cobra.Command, args []string, to string) ([]string, cobra.ShellCompDirective) {
	return cmdline.ExperimentFiles(cmd, args, to)
}

// check returns an error for arguments or flags that are invalid regardless of file contents.
func (f *calibrateFlags) check(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return cmdline.WrongArguments(cmd, args, "files of measurements")
	case f.network == "":
		return cmdline.Usage(cmd, errors.New("found no --network, expected the file of a network"))
	case f.format != "" && !slices.Contains(calibrate.FormatNames(), f.format):
		return cmdline.Usage(cmd, fmt.Errorf(
			"found --format %s, expected %s", f.format, config.OneOf(calibrate.FormatNames()),
		))
	}
	for i, name := range f.fit {
		switch {
		case !slices.Contains(calibrate.Names(), name):
			err := fmt.Errorf("found --fit %s, expected %s", name, config.OneOf(calibrate.Names()))
			return cmdline.Usage(cmd, cmdline.Suggested(err, name, calibrate.Names()))
		case slices.Contains(f.fit[:i], name):
			return cmdline.Usage(cmd, fmt.Errorf("found --fit %s twice, expected it once", name))
		}
	}
	return nil
}

func (f *calibrateFlags) run(cmd *cobra.Command, args []string) error {
	if err := f.check(cmd, args); err != nil {
		return err
	}
	c, err := ending.UntilInterrupted(cmd.Context(), func() (*calibrate.Calibration, error) { return f.open(args) })
	if err != nil {
		return err
	}
	if len(c.Measurements) < 3 {
		return cmdline.Usage(cmd, fmt.Errorf(
			"found %s, expected at least 3", humanize.Plural(len(c.Measurements), "measurement"),
		))
	}
	line := console.NewProgressLine(cmd.ErrOrStderr())
	last := time.Now()
	c.OnProgress = func(text string) {
		switch {
		case line != nil:
			line.Show(text)
		case time.Since(last) > 10*time.Second:
			last = time.Now()
			fmt.Fprintln(cmd.ErrOrStderr(), text)
		}
	}
	result, err := c.Run(cmd.Context())
	line.Clear()
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(cmd.ErrOrStderr(), "interrupted; the same command goes on from %s\n", c.Progress)
	}
	if err != nil {
		return err
	}
	return f.leave(cmd, result, args)
}

// open reads the measurements and the network.
func (f *calibrateFlags) open(args []string) (*calibrate.Calibration, error) {
	c := &calibrate.Calibration{Fit: f.fit, Hold: f.hold, Progress: f.out + ".progress"}
	for _, path := range args {
		list, err := calibrate.Read(path, f.format, f.defaults)
		if err != nil {
			return nil, fabricast.NewConfigError(err)
		}
		c.Measurements = append(c.Measurements, list...)
	}
	var err error
	if c.Base, err = fabricast.OpenDocument(f.network); err != nil {
		return nil, err
	}
	for _, set := range f.experiment.Set {
		if c.Base, err = c.Base.Set(set); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// leave writes the calibrated network to its file and prints the result.
func (f *calibrateFlags) leave(cmd *cobra.Command, r *calibrate.Result, args []string) error {
	from := make([]string, len(args))
	for i, path := range args {
		from[i] = filepath.Base(path)
	}
	err := atomicfile.Write(f.out, func(w io.Writer) error {
		return r.YAML(w, strings.Join(from, " ")+" --network "+filepath.Base(f.network))
	})
	if err == nil && f.outcomes != "" {
		err = atomicfile.Write(f.outcomes, r.Outcomes)
	}
	if err != nil {
		return err
	}
	return console.Show(cmd, f.json, r, func(w io.Writer, r *calibrate.Result) error { return r.Text(w) })
}
