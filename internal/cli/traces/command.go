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
	table, err := e.Collectives.Choose()
	if err != nil {
		return err
	}
	output, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	o := cmpi.Options{
		Ranks: e.Ranks, Omit: e.Payload == experiment.PayloadOmit, Factor: float64(e.Compute.Factor),
		Table: table, Output: output,
	}
	if mode := e.Compute.Mode; mode != experiment.ComputeNone {
		o.Compute = cmpi.Compute(mode)
	}
	words := e.Workload.Command.Words()
	job, err := cmpi.Load(words[0], words[1:], o)
	if err != nil {
		return err
	}
	e.Launch, e.Common, e.TwoSided = job.Launcher(), job.Common(), job.TwoSided()
	return nil
}
