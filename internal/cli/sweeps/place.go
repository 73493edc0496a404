package sweeps

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/atomicfile"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/traces"
	"fabricast/internal/humanize"
	"fabricast/internal/leftover"
	"fabricast/internal/place"
	"fabricast/internal/plan"
	"fabricast/internal/whatif"
	"fabricast/record"
)

// placeFlags holds the flags of fabricast place.
type placeFlags struct {
	experiment           cmdline.ExperimentFlags
	workers, swaps, runs int
	out                  string
	json, regular        bool
}

// NewPlace returns the command fabricast place.
func NewPlace() *cobra.Command {
	var f placeFlags
	cmd := &cobra.Command{
		Use:   "place FILE.yaml",
		Short: "Find a mapping of ranks to hosts under which a program takes less time",
		Long: `Find a mapping of ranks to hosts under which a program takes less time. Its messages are found by a
run on the contention-free model; swaps of ranks are searched that make the busiest link less busy, and
the paths of bytes shorter. The best mappings are run. On a network with coordinates all of whose hosts
are used, so are the best tilt, turn, snake and blocks of the own mapping. The hosts that the experiment's own
mapping uses stay, with their numbers of ranks. The same seed finds the same, whatever the workers.
After Ctrl-C the mappings that were run are printed, and --out gets the best of these; with this file
as mapping.file, the next search starts from there.`,
		Example: `  fabricast place examples/quickstart.yaml --set mapping=random
  fabricast place examples/quickstart.yaml --out better.txt
  fabricast run examples/quickstart.yaml --set mapping=file:better.txt`,
		Args:              cmdline.OneFile,
		ValidArgsFunction: cmdline.ExperimentFiles,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.place(cmd, args[0]) },
	}
	f.experiment.Register(cmd)
	cmdline.Count(cmd.Flags(), &f.workers, "workers", 1,
		"how many cores simulate at once; does not change the result (default all)")
	f.swaps, f.runs = 100_000, 4
	cmdline.Count(cmd.Flags(), &f.swaps, "swaps", 1,
		"how many swaps are tried from each of four starts")
	cmdline.Count(cmd.Flags(), &f.runs, "runs", 1, "how many of the mappings found are run")
	cmd.Flags().BoolVar(&f.regular, "regular", true, "also run regular rearrangements of a grid, such as tilts")
	cmd.Flags().StringVar(&f.out, "out", "", "write the best mapping to this `file`, for mapping.file")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the mappings as JSON")
	return cmd
}

func (f *placeFlags) place(cmd *cobra.Command, file string) error {
	e, err := f.experiment.Load(cmd, file)
	if err != nil {
		return err
	}
	if err := placeable(e); err != nil {
		return err
	}
	p, err := whatif.PlanOf(experiment.Experiment(*e))
	if err != nil {
		return err
	}
	if len(p.Hosts) < 2 {
		return e.Refuse("ranks", strconv.Itoa(len(p.Hosts)),
			"at least 2, of which some change places", "")
	}
	temp, remove, err := leftover.TempDir("fabricast-")
	if err != nil {
		return err
	}
	defer remove()
	flows, periods, err := f.messages(cmd, e, p, filepath.Join(temp, "run"))
	if err != nil {
		return err
	}
	line := console.NewProgressLine(cmd.ErrOrStderr())
	o := place.Options{Seed: p.Experiment.Seed, Swaps: f.swaps}
	if line != nil {
		line.Name = "search for mappings"
		o.Progress = func(share float64) { line.Show(humanize.Percent(share)) }
	}
	list, routes, err := place.Search(cmd.Context(), p, flows, o)
	line.Clear()
	if err != nil {
		return err
	}
	last := len(list) - 1 // the own mapping
	tried := append([]place.Found{list[last]}, list[:min(f.runs, last)]...)
	if f.regular {
		regular, err := place.Regular(cmd.Context(), p, flows, periods)
		if err != nil {
			return err
		}
		tried = append(tried, regular...)
	}
	r := place.NewReport(len(p.Hosts), flows, routes)
	err = f.tryAll(cmd, e, r, tried, filepath.Join(temp, "mapping.txt"))
	var interrupted *place.InterruptedError
	if err != nil && !errors.As(err, &interrupted) || len(r.Mappings) == 0 {
		return err
	}
	if f.out != "" {
		if wrong := atomicfile.Write(f.out, r.WriteMapping); wrong != nil {
			return errors.Join(wrong, err)
		}
	}
	return errors.Join(console.Show(cmd, f.json, r, place.Text), err)
}

// placeable returns an error for an experiment whose ranks cannot change places.
func placeable(e *fabricast.Experiment) error {
	switch {
	case e.HasJobs():
		return e.Refuse("jobs", "several programs", "one program, whose ranks change places", "")
	case e.HasTraffic():
		return e.Refuse("traffic", "synthetic traffic, which has no ranks", "a program", "")
	case e.Network.Routerless():
		return e.Refuse("network.model", e.Network.Model,
			"a network with links: packet or contention-free", "")
	}
	return nil
}

// messages runs the experiment without contention, and returns what its ranks send to each other, in all
// and period by period.
func (f *placeFlags) messages(
	cmd *cobra.Command, e *fabricast.Experiment, p *plan.Plan, folder string,
) (flows []place.Flow, periods [][]place.Flow, err error) {
	fast := *e
	fast.Network.Model = experiment.ModelContentionFree
	fast.Record = experiment.Recording{Messages: true}
	fast.Imbalance, fast.Noise = experiment.Imbalance{}, experiment.Noise{}
	_, err = f.run(cmd, "messages", &fast, fabricast.Record(folder))
	var refused *fabricast.ConfigError
	if errors.As(err, &refused) { // such as a field that only the packet model has
		fast.Network.Model = e.Network.Model
		_, err = f.run(cmd, "messages", &fast, fabricast.Record(folder))
	}
	if err != nil {
		return nil, nil, err
	}
	r, err := record.Open(folder)
	if err != nil {
		return nil, nil, err
	}
	flows, periods, err = place.Matrix(r, p.Fabric.Packet)
	if err == nil && len(flows) == 0 {
		err = errors.New("found no messages between ranks, expected some, " +
			"which other places may make faster")
	}
	return flows, periods, err
}

// tryAll runs the mappings of a list, whose first is the own one. If the context ends, the report has those
// that were run, and the error is a *place.InterruptedError.
func (f *placeFlags) tryAll(
	cmd *cobra.Command, e *fabricast.Experiment, r *place.Report, list []place.Found, file string,
) error {
	try := func(e *fabricast.Experiment, found *place.Found) error {
		done := len(r.Mappings)
		result, err := f.run(cmd, fmt.Sprintf("mapping %d of %d", done+1, len(list)), e)
		if ended := cmd.Context().Err(); err != nil && ended != nil {
			return &place.InterruptedError{Run: done, Mappings: len(list), Err: ended}
		}
		if err == nil {
			r.Add(found, int64(result.SimulatedTime))
		}
		return err
	}
	if err := try(e, &list[0]); err != nil {
		return err
	}
	for i := 1; i < len(list); i++ {
		one := place.Report{Hosts: list[i].Hosts}
		if err := atomicfile.Write(file, one.WriteMapping); err != nil {
			return err
		}
		changed := *e
		changed.Mapping = experiment.Mapping{File: file}
		changed.Ranks = r.Ranks
		changed.Record = experiment.Recording{}
		if err := try(&changed, &list[i]); err != nil {
			return err
		}
	}
	return nil
}

// run runs a copy of an experiment, and shows its progress with a name.
func (f *placeFlags) run(
	cmd *cobra.Command, name string, e *fabricast.Experiment, options ...fabricast.Option,
) (*fabricast.Result, error) {
	one := *e
	if err := traces.Launch(&one); err != nil {
		return nil, err
	}
	return console.RunNamed(cmd, name, &one, append(options, fabricast.Workers(f.workers))...)
}
