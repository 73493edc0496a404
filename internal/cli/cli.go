package cli

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/ending"
	"fabricast/internal/cli/reports"
	"fabricast/internal/cli/runs"
	"fabricast/internal/cli/setup"
	"fabricast/internal/cli/sweeps"
	"fabricast/internal/cli/traces"
	"fabricast/internal/leftover"
	"fabricast/internal/panics"
	"fabricast/internal/printable"
	"fabricast/internal/usercache"
)

// Main runs the command with the process's arguments, and returns its exit code.
func Main() int {
	defer leftover.Remove()
	panics.Handle(ending.Crash)
	defer panics.Catch("main")
	panics.Provoke("main")
	usercache.Enable()
	ctx := ending.UntilSignal()
	ending.FailOverLimit()
	log := printable.NewWriter(os.Stderr)
	root := New(printable.NewWriter(os.Stdout), log)
	root.SetArgs(os.Args[1:])
	err := ending.InOrder(ctx, func() error { return root.ExecuteContext(ctx) })
	panics.Settle()
	if ending.WantsJSON(os.Args[1:]) {
		return ending.TellJSON(os.Stderr, err)
	}
	return ending.Tell(log, err)
}

// New returns the root command. It writes data to out and everything else to log.
func New(out, log io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "fabricast",
		Short: "Predict how programs communicate on a network that may not exist yet",
		Long: `Fabricast simulates an interconnection network packet by packet, with the ranks of
a program on its nodes, and predicts how long the program will take.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       ending.VersionLine(),
		Args:          cmdline.NoSuchCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmdline.EmptyFlags(cmd); err != nil {
				return err
			}
			return runs.BesideOthers(cmd)
		},
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetOut(out)
	root.SetErr(log)
	root.SetFlagErrorFunc(cmdline.FlagError)
	root.AddCommand(
		runs.NewRun(), runs.NewResume(), runs.NewRewind(), reports.NewExport(), setup.NewCheck(), setup.NewInit(), setup.NewSchema(), setup.NewTopo(), setup.NewNetwork(), traces.NewTrace(),
		setup.NewPrograms(), setup.NewExplain(), setup.NewPatterns(), setup.NewMachines(), sweeps.NewSweep(), sweeps.NewSaturate(), sweeps.NewStudy(), sweeps.NewTune(), sweeps.NewPlace(), sweeps.NewFailures(), sweeps.NewPlot(),
		reports.NewReport(), reports.NewView(),
		reports.NewCompare(), reports.NewWhy(), reports.NewFlows(), setup.NewCalibrate(), newBench(), newWrappers(), newCoverage(), newVersion(),
	)
	cmdline.StrictHelp(root)
	return root
}
