package reports

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/atomicfile"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/internal/cli/traces"
	"fabricast/internal/leftover"
	"fabricast/internal/plan"
	"fabricast/internal/whatif"
	"fabricast/internal/why"
	"fabricast/record"
)

// whyFlags holds the flags of fabricast why.
type whyFlags struct {
	experiment cmdline.ExperimentFlags
	workers    int
	json       bool
	out        string
	whatIf     []string
	whatHelps  bool
}

func NewWhy() *cobra.Command {
	var f whyFlags
	cmd := &cobra.Command{
		Use:   "why FOLDER | FILE.yaml",
		Short: "Explain the predicted time of a run by its critical path",
		Long: `Explain the predicted time of a run by its critical path: from the end of the last rank back to the
beginning, through what ranks do and through the messages that they wait for. The times of its
segments sum to the predicted time. The folder must be that of a run with --record causes; an
experiment is run first. With --what-if it is run again with a changed field, and with --what-helps
with changes that may make it faster: better parameters, ranks that do not start late, messages from
one host to another out of the way of all others, other algorithms, a job left out. In a folder the
latter are kept, for its report.`,
		Example: `  fabricast why examples/quickstart.yaml
  fabricast run examples/quickstart.yaml --record causes=full --out results/a
  fabricast why results/a --what-helps
  fabricast why examples/quickstart.yaml --what-if network.link.bandwidth=+10% --what-if node.overhead=100ns`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cmdline.WrongArguments(cmd, args, "a result folder or the file of an experiment")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.why(cmd, args[0]) },
	}
	f.experiment.Register(cmd)
	cmdline.Count(cmd.Flags(), &f.workers, "workers", 1,
		"how many cores simulate at once (default all)")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the path as JSON")
	cmd.Flags().StringVar(&f.out, "out", "", "also write the path as a Parquet table to this `file`")
	cmd.Flags().StringArrayVar(&f.whatIf, "what-if", nil,
		"with a file, run it again with another value of a field, `path=value` or path=+10%, "+
			"and compare (repeatable: each by itself)")
	cmd.Flags().BoolVar(&f.whatHelps, "what-helps", false,
		"run it again with each of the changes that may help most, and sort them by what they gain")
	return cmd
}

func (f *whyFlags) why(cmd *cobra.Command, path string) error {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return f.ofExperiment(cmd, path)
	}
	return f.ofFolder(cmd, path)
}

// ofExperiment runs an experiment in a temporary folder, and explains it.
func (f *whyFlags) ofExperiment(cmd *cobra.Command, file string) error {
	e, err := f.experiment.Load(cmd, file)
	if err != nil {
		return err
	}
	if err := explainable((*experiment.Experiment)(e)); err != nil {
		return cmdline.Usage(cmd, fmt.Errorf("%s %w", file, err))
	}
	asked, err := f.changedExperiments(cmd, e, file)
	if err != nil {
		return err
	}
	temp, remove, err := leftover.TempDir("fabricast-")
	if err != nil {
		return err
	}
	defer remove()
	kind := experiment.CausesPath
	if f.whatHelps || e.Record.Causes == experiment.CausesFull || e.Network.Ethernet() {
		kind = experiment.CausesFull
	}
	x, err := f.runAndExplain(cmd, e, filepath.Join(temp, "run"), file, kind)
	if err == nil && kind == experiment.CausesPath && x.path.Contention() { // for the roots of waits
		x, err = f.runAndExplain(cmd, e, filepath.Join(temp, "again"), file, experiment.CausesFull)
	}
	if err != nil {
		return err
	}
	if err := x.changes(cmd, f, asked, temp); err != nil {
		return err
	}
	return f.show(cmd, x.path)
}

// errInNetwork says that an experiment has no path because routers or switches take part in collectives.
var errInNetwork = errors.New("has collectives within the network (network.in_network), where no critical path " +
	"can be told: the rank whose operand comes last is not known where the result arrives")

// explainable says why an experiment has no critical path; nil if it has one.
func explainable(e *experiment.Experiment) error {
	switch {
	case e.HasTraffic() && !e.HasJobs():
		return why.ErrNoRanks
	case e.Network.InNetwork.Given():
		return errInNetwork
	}
	return nil
}

// runAndExplain runs an experiment with a kind of causes in a folder, and explains it. name is what
// the user calls it.
func (f *whyFlags) runAndExplain(
	cmd *cobra.Command, e *fabricast.Experiment, folder, name, kind string,
) (*explained, error) {
	e.Record = experiment.Recording{Causes: kind}
	if _, err := f.run(cmd, e, fabricast.Record(folder)); err != nil {
		return nil, err
	}
	return f.explain(cmd, folder, name, e)
}

// run runs an experiment, and shows its progress.
func (f *whyFlags) run(
	cmd *cobra.Command,
	e *fabricast.Experiment,
	options ...fabricast.Option,
) (*fabricast.Result, error) {
	if err := traces.Launch(e); err != nil {
		return nil, err
	}
	return console.Run(cmd, e, append(options, fabricast.Workers(f.workers))...)
}

// explained is a run whose critical path is known.
type explained struct {
	path       *why.Path
	plan       *plan.Plan // nil if the experiment is not known
	experiment *fabricast.Experiment
	folder     *record.Reader
}

// explain explains the run in a folder. name is what the user calls it. e is the experiment; nil if
// it is not known.
func (f *whyFlags) explain(cmd *cobra.Command, path, name string, e *fabricast.Experiment) (*explained, error) {
	x, err := ending.UntilInterrupted(cmd.Context(), func() (*explained, error) { return explain(path, name, e) })
	switch {
	case errors.Is(err, why.ErrNoCauses):
		return nil, cmdline.Usage(cmd, fmt.Errorf("%w: run with --record causes", err))
	case errors.Is(err, why.ErrNoRanks):
		return nil, cmdline.Usage(cmd, err)
	}
	return x, err
}

// explain finds the critical path of the run in a folder, and what its time depends on.
func explain(path, name string, e *fabricast.Experiment) (*explained, error) {
	folder, err := record.Open(path)
	if err != nil {
		return nil, err
	}
	x := &explained{experiment: e, folder: folder}
	switch x.path, err = why.Find(folder); {
	case why.Absent(err):
		return nil, fmt.Errorf("%s %w", name, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if e == nil {
		x.path.Notes = append(x.path.Notes,
			record.ExperimentFile+" cannot be used: there are no derivatives")
		return x, nil
	}
	if e.Network.Ethernet() && !folder.Has(record.CausesTable) {
		x.path.Notes = append(x.path.Notes,
			"what messages do in a network that drops or pauses packets is divided with causes=full only")
	}
	if x.plan, err = whatif.PlanOf(experiment.Experiment(*e)); err != nil {
		return nil, err
	}
	if err := whatif.Derive(x.path, x.plan); err != nil {
		return nil, err
	}
	return x, whatif.Ranges(x.path, x.plan, (*experiment.Experiment)(e), folder)
}

// show prints a path, and writes it as a table if that is wanted.
func (f *whyFlags) show(cmd *cobra.Command, p *why.Path) error {
	if f.out != "" {
		if err := atomicfile.Write(f.out, p.WriteTable); err != nil {
			return err
		}
	}
	return console.Show(cmd, f.json, p, why.Text)
}
