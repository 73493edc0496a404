package runs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/units"
)

// rewindFlags holds the flags of fabricast rewind.
type rewindFlags struct {
	from, length string
	to, period   units.Time
	record       []string
	routers      []int
	ranks        []int
	out          string
	force        bool
	workers      int
	json         bool
}

func NewRewind() *cobra.Command {
	var f rewindFlags
	cmd := &cobra.Command{
		Use:   "rewind FOLDER --to TIME --out FOLDER",
		Short: "Simulate a period of a run again with more recorded",
		Long: `Simulate a period of a run again from the nearest checkpoint before it, with more recorded. The run
has left checkpoints in the folder: fabricast run --checkpoint 10m --keep 8. It may have ended, been
interrupted, or go on. What is recorded is what the run would have recorded of that period.`,
		Example: `  fabricast rewind results/long --to 1.2ms --for 100us --record messages,timeline --out closer
  fabricast rewind results/long --to 1.2ms --record bins --routers 5,6 --ranks 0,1 --out closer`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return cmdline.WrongArguments(cmd, args, "the folder of one run that has left checkpoints")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.rewind(cmd, args[0]) },
	}
	cmd.Flags().StringVar(&f.from, "to", "", "the begin of the period, in simulated `time`")
	cmd.Flags().StringVar(&f.length, "for", "", "the length of the period, in simulated `time` (default to the "+
		"end of the run); it is rounded up to end at a multiple of "+fabricast.LookGrain.String())
	cmd.Flags().StringSliceVar(&f.record, "record", nil, "what is recorded: "+
		strings.Join(lookNames, ", ")+" (default "+strings.Join(lookNames, ",")+", of traffic without "+
		"timeline)")
	cmd.Flags().Var(cmdline.ListOf(&f.routers), "routers",
		"record every packet through the buffers of these routers")
	cmd.Flags().Var(cmdline.ListOf(&f.ranks), "ranks", "record messages and timeline of these ranks only")
	cmd.Flags().StringVar(&f.out, "out", "", "the `folder` of what is recorded")
	cmd.Flags().BoolVar(&f.force, "force", false, "overwrite the result of another experiment in --out")
	cmdline.Count(cmd.Flags(), &f.workers, "workers", 1, "how many cores simulate at once; does not change the "+
		"result (default all)")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	cmdline.Completes(cmd, "record", lookNames...)
	return cmd
}

// lookNames lists the kinds of data that can be recorded in a period.
var lookNames = fabricast.LookNames(&fabricast.Experiment{})

func (f *rewindFlags) rewind(cmd *cobra.Command, folder string) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	saved, err := fabricast.OpenBefore(folder, f.to)
	if err != nil {
		return err
	}
	defer saved.Close()
	look, err := f.look(cmd, saved.Experiment)
	if err != nil {
		return err
	}
	tellBegin(cmd, saved)
	r := runFlags{
		workers: f.workers, out: f.out, force: f.force, json: f.json, saved: saved, look: look,
	}
	return r.goOn(cmd)
}

// check returns an error for flags that are invalid regardless of the run.
func (f *rewindFlags) check(cmd *cobra.Command) error {
	if err := f.to.Set(f.from); err != nil || f.to < 0 {
		return cmdline.Usage(cmd, fmt.Errorf("found --to %q, expected the begin of the period, such as 1.2ms", f.from))
	}
	if err := f.period.Set(f.length); f.length != "" && (err != nil || f.period <= 0) {
		return cmdline.Usage(cmd, fmt.Errorf("found --for %q, expected the length of the period, such as 100us", f.length))
	}
	if f.out == "" {
		return cmdline.Usage(cmd, errors.New("found no --out, expected the folder of what is recorded"))
	}
	for _, name := range f.record {
		if !slices.Contains(lookNames, name) {
			return cmdline.Usage(cmd, fmt.Errorf(
				"found --record %s, expected some of %s", name, strings.Join(lookNames, ", "),
			))
		}
	}
	return nil
}

// binsOfPeriod is the number of bins into which a period of known length is divided.
const binsOfPeriod = 256

// look returns the period of the run to simulate again, and the data to record.
func (f *rewindFlags) look(cmd *cobra.Command, e *fabricast.Experiment) (*fabricast.Look, error) {
	l := &fabricast.Look{From: f.to, Ranks: f.ranks}
	names := f.record
	if len(names) == 0 {
		names = fabricast.LookNames(e)
	}
	if f.period > 0 {
		l.Until = f.to + f.period
	}
	for _, name := range names {
		l.Record.Set(name)
	}
	if l.Record.Bins.Interval != "" {
		period := f.period
		if period == 0 {
			period = binsOfPeriod * units.Microsecond
		}
		l.Record.Bins.Interval = max(period/binsOfPeriod, leastBin, f.to/mostEarlierBins).String()
	}
	if len(f.routers) > 0 {
		l.Record.Buffers = experiment.BufferLogging{Routers: f.routers, From: l.From, To: l.Until}
	}
	return l, f.checkRanks(cmd, e)
}

// leastBin is the minimum bin length of an experiment.
const leastBin = 10 * units.Nanosecond

// mostEarlierBins limits the number of empty bins before the period.
const mostEarlierBins = 1 << 16

// checkRanks checks the ranks to record, if the experiment determines the number of ranks.
func (f *rewindFlags) checkRanks(cmd *cobra.Command, e *fabricast.Experiment) error {
	for _, rank := range f.ranks {
		if rank < 0 || e.Ranks > 0 && rank >= e.Ranks {
			return cmdline.Usage(cmd, fmt.Errorf(
				"found --ranks %d, expected numbers from 0 to %d", rank, max(e.Ranks, 1)-1,
			))
		}
	}
	return nil
}
