package sweeps

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/atlas"
	"fabricast/internal/atomicfile"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/internal/cli/traces"
	"fabricast/internal/cluster"
)

// failuresFlags holds the flags of fabricast failures.
type failuresFlags struct {
	experiment   cmdline.ExperimentFlags
	options      atlas.Options
	at, lasts    string
	top          int
	json, asRows bool
	svg          string
}

// NewFailures returns the command fabricast failures.
func NewFailures() *cobra.Command {
	var f failuresFlags
	cmd := &cobra.Command{
		Use:   "failures FILE.yaml",
		Short: "Rank the links and switches of a network by what a program loses when they fail",
		Long: `Rank the links and switches of a network by what a program loses when they fail. Each fails in a future
of its own. All futures start from the state of the run just before that moment, so each costs only
what comes after it, and has the result of a whole run with this fault in its file. They are whole runs
if that state cannot be kept. How routing reacts is in the fields of faults. All links between two
routers are one. Processes that mpirun or srun starts share the futures.`,
		Example: `  fabricast failures examples/failures/atlas.yaml
  fabricast failures examples/failures/atlas.yaml --links 0 --switches all --for 30us
  fabricast failures examples/failures/atlas.yaml --switches all --svg atlas.svg
  fabricast failures examples/failures/atlas.yaml --links 0 --pairs 100 --csv > pairs.csv`,
		Args:              cmdline.OneFile,
		ValidArgsFunction: cmdline.ExperimentFiles,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.failures(cmd, args[0]) },
	}
	f.experiment.Register(cmd)
	cmd.Flags().StringVar(&f.at, "at", "", "when something fails, in simulated `time` (default half of the run without failures)")
	cmd.Flags().StringVar(&f.lasts, "for", "", "the `time` until it is up again, or ever: it stays down "+
		"(default until the run without failures ends)")
	f.options.Links = atlas.All
	cmdline.CountOrAll(cmd.Flags(), &f.options.Links, atlas.All, "links", "how many links fail, drawn by the seed")
	cmdline.CountOrAll(cmd.Flags(), &f.options.Switches, atlas.All, "switches", "how many switches fail, with all their links")
	cmdline.CountOrAll(cmd.Flags(), &f.options.Pairs, atlas.All, "pairs", "how many pairs of links fail together")
	cmdline.Count(cmd.Flags(), &f.options.Workers, "workers", 1, "how many futures are simulated at once, on one core each (default all cores)")
	f.top = 20
	cmdline.Count(cmd.Flags(), &f.top, "top", 1, "print so many of the worst futures as text")
	cmd.Flags().BoolVar(&f.json, "json", false, "print all futures as JSON")
	cmd.Flags().StringVar(&f.svg, "svg", "", "draw the network, coloured by what failures cost, into this `file`")
	cmd.Flags().BoolVar(&f.asRows, "csv", false, "print all futures as CSV, with all digits")
	return cmd
}

// failures executes the command, with the other processes of a launcher if there are any: they share the
// futures, and the first prints.
func (f *failuresFlags) failures(cmd *cobra.Command, file string) error {
	p, err := fabricast.JoinProcesses()
	if err != nil {
		return err
	}
	defer p.End()
	return ending.Silent(p.Settle(f.together(cmd, file, p)), p.First())
}

// together is failures with other processes; nil: there are none.
func (f *failuresFlags) together(cmd *cobra.Command, file string, p *fabricast.Processes) error {
	r, same, err := f.load(cmd, file)
	if err = p.Settle(err); err != nil {
		return err
	}
	if p != nil {
		if err := cluster.Same(p, same); err != nil {
			return &ending.UsageError{Err: err}
		}
		if f.options.Processes = p; f.options.Workers == 0 {
			f.options.Workers = p.Workers()
		}
	}
	if !p.First() {
		f.svg = ""
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
	}
	return f.rank(cmd, file, r)
}

// load reads the experiment, and returns what must be the same in all processes.
func (f *failuresFlags) load(cmd *cobra.Command, file string) (*experiment.Resolved, []cluster.Trait, error) {
	if f.json && f.asRows {
		return nil, nil, cmdline.Usage(cmd, errors.New("found both --json and --csv, expected one of them"))
	}
	if f.svg != "" && !strings.EqualFold(filepath.Ext(f.svg), ".svg") {
		return nil, nil, cmdline.Usage(cmd, fmt.Errorf("found --svg %s, expected a file that ends in .svg", f.svg))
	}
	err := momentOf(cmd, "at", f.at, &f.options.At)
	if f.options.Repair = atlas.Forever; f.lasts != "ever" && err == nil {
		f.options.Repair = 0
		err = momentOf(cmd, "for", f.lasts, &f.options.Repair)
	}
	if err != nil {
		return nil, nil, err
	}
	e, err := f.experiment.Load(cmd, file)
	if err != nil {
		return nil, nil, err
	}
	for i := range e.Jobs {
		if !e.Jobs[i].Replays() {
			continue
		}
		if _, err := traces.OpenJob(e, i, true); err != nil {
			return nil, nil, err
		}
	}
	r, err := experiment.Resolve(experiment.Experiment(*e))
	if err != nil {
		return nil, nil, err
	}
	text, err := e.YAML()
	same := []cluster.Trait{
		{Name: "version", Value: ending.VersionLine()},
		{Name: "command", Value: cmd.CommandPath()},
		{Name: "the experiment", Value: string(text)},
	}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if flag.Name != "workers" {
			same = append(same, cluster.Trait{Name: "--" + flag.Name, Value: flag.Value.String()})
		}
	})
	return r, same, err
}

// rank simulates the futures, and prints them.
func (f *failuresFlags) rank(cmd *cobra.Command, file string, r *experiment.Resolved) error {
	line := console.NewProgressLine(cmd.ErrOrStderr())
	if log := console.NewProgressLog(cmd.ErrOrStderr()); line == nil {
		f.options.Progress = func(p atlas.Progress) { log.Show(p.Elapsed, describeFutures(file, p)) }
	} else {
		line.Show(filepath.Base(file) + ": the run without failures")
		f.options.Progress = func(p atlas.Progress) { line.Show(describeFutures(file, p)) }
	}
	found, err := atlas.Make(cmd.Context(), r, f.options)
	line.Clear()
	if found == nil {
		return err
	}
	if f.svg != "" {
		err = errors.Join(err, atomicfile.Write(f.svg, found.SVG))
	}
	return errors.Join(f.print(cmd, found), err)
}

func (f *failuresFlags) print(cmd *cobra.Command, r *atlas.Report) error {
	switch {
	case f.json:
		return console.PrintJSON(cmd, r)
	case f.asRows:
		return r.CSV(cmd.OutOrStdout())
	}
	return r.Text(cmd.OutOrStdout(), f.top)
}

// momentOf reads the value of a flag, a time above 0, if the flag is given.
func momentOf(cmd *cobra.Command, flag, text string, at *fabricast.Time) error {
	if text == "" {
		return nil
	}
	if err := at.Set(text); err != nil || *at <= 0 {
		return cmdline.Usage(cmd, fmt.Errorf("found --%s %s, expected a time above 0, such as 20us", flag, text))
	}
	return nil
}

func describeFutures(file string, p atlas.Progress) string {
	left := p.Elapsed.Seconds() / float64(p.Done) * float64(p.Futures-p.Done)
	return fmt.Sprintf("%s: %d of %d futures, %s", filepath.Base(file), p.Done, p.Futures, console.Remaining(left))
}
