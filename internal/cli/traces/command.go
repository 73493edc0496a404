package traces

import (
	"os"

	"fabricast"
	"fabricast/cmpi"
	"fabricast/experiment"
)

// launchCommand makes the C program that the experiment names in workload.command ready to run, once. What it
// prints is dropped: the command prints something else.
func launchCommand(e *fabricast.Experiment) error {
	if e.Workload.Command == "" {
		return nil
	}
	if err := e.FindCommand(); err != nil {
		return err
	}
	o, err := CommandOptions(e)
	if err != nil {
		return err
	}
	if o.Output, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0); err != nil {
		return err
	}
	words := e.Workload.Command.Words()
	job, err := cmpi.Load(words[0], words[1:], o)
	if err != nil {
		return err
	}
	e.Launch, e.Common, e.TwoSided = job.Launcher(), job.Common(), job.TwoSided()
	return nil
}

// CommandOptions returns how an experiment's program in C runs, as far as the experiment says so.
func CommandOptions(e *fabricast.Experiment) (o cmpi.Options, err error) {
	o = cmpi.Options{
		Ranks: e.Ranks, Omit: e.Payload == experiment.PayloadOmit, Factor: float64(e.Compute.Factor),
	}
	if mode := e.Compute.Mode; mode != experiment.ComputeNone {
		o.Compute = cmpi.Compute(mode)
	}
	o.Table, err = e.Collectives.Choose()
	return o, err
}
