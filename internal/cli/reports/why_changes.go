package reports

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/ending"
	"fabricast/internal/run"
	"fabricast/internal/whatif"
	"fabricast/internal/why"
)

// changedExperiments loads the experiment with each of the changes that --what-if asks for.
func (f *whyFlags) changedExperiments(
	cmd *cobra.Command,
	e *fabricast.Experiment,
	file string,
) (list []*fabricast.Experiment, err error) {
	for _, text := range f.whatIf {
		assignment, err := whatif.Assignment((*experiment.Experiment)(e), text)
		if err != nil {
			return nil, cmdline.Usage(cmd, err)
		}
		flags := f.experiment
		flags.Set = append(slices.Clip(flags.Set), assignment)
		changed, err := flags.Load(cmd, file)
		if err != nil {
			return nil, err
		}
		list = append(list, changed)
	}
	return list, nil
}

// changes runs the experiments of --what-if, and those that --what-helps asks for. temp is a folder for files.
func (x *explained) changes(cmd *cobra.Command, f *whyFlags, asked []*fabricast.Experiment, temp string) error {
	for i, changed := range asked {
		c, err := x.change(cmd, f, f.whatIf[i], changed)
		if err != nil {
			return err
		}
		x.path.WhatIf = append(x.path.WhatIf, *c)
	}
	if !f.whatHelps {
		return nil
	}
	return x.helps(cmd, f, temp)
}

// helps runs the changes that may help. temp is a folder for files.
func (x *explained) helps(cmd *cobra.Command, f *whyFlags, temp string) error {
	list, err := ending.UntilInterrupted(cmd.Context(), func() ([]whatif.Alternative, error) {
		return whatif.Alternatives(x.path, x.plan, (*experiment.Experiment)(x.experiment), x.folder, temp)
	})
	if err != nil {
		return err
	}
	x.path.WhatHelps = []why.Change{}
	for _, a := range list {
		c, err := x.alternative(cmd, f, &a)
		var refused *fabricast.ConfigError
		switch {
		case errors.As(err, &refused): // such as an algorithm for other numbers of ranks
			x.path.Notes = append(x.path.Notes, fmt.Sprintf("not run: %s, which the experiment does not allow", a.Change))
			continue
		case err != nil:
			return err
		}
		x.path.WhatHelps = append(x.path.WhatHelps, *c)
	}
	slices.SortStableFunc(x.path.WhatHelps, func(a, b why.Change) int { return cmp.Compare(b.Gain, a.Gain) })
	return nil
}

// alternative runs a change that may help.
func (x *explained) alternative(cmd *cobra.Command, f *whyFlags, a *whatif.Alternative) (*why.Change, error) {
	e := (*fabricast.Experiment)(&a.Experiment)
	if by := a.Relieved; by != nil {
		c := &why.Change{Change: a.Change}
		return c, x.measure(cmd, f, c, e, run.Relieve(by.Source, by.Destination))
	}
	return x.change(cmd, f, a.Change, e)
}

// change runs a changed experiment, and compares it with what the path predicts.
func (x *explained) change(
	cmd *cobra.Command,
	f *whyFlags,
	text string,
	e *fabricast.Experiment,
) (*why.Change, error) {
	c := &why.Change{Change: text}
	if whatif.SameNetwork((*experiment.Experiment)(x.experiment), (*experiment.Experiment)(e)) {
		growth, exact, err := whatif.Growth(x.path, x.plan, (*experiment.Experiment)(e))
		if err != nil {
			return nil, err
		}
		predicted := x.path.Predicted + growth
		c.FirstOrder, c.Exact = &predicted, exact
	}
	return c, x.measure(cmd, f, c, e)
}

// measure runs the experiment of a change.
func (x *explained) measure(
	cmd *cobra.Command,
	f *whyFlags,
	c *why.Change,
	e *fabricast.Experiment,
	options ...fabricast.Option,
) error {
	changed := *e
	changed.Record = experiment.Recording{}
	result, err := f.run(cmd, &changed, options...)
	if err != nil {
		return err
	}
	c.Run = int64(result.SimulatedTime)
	c.Gain = x.path.Predicted - c.Run
	return nil
}
