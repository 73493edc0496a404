package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"fabricast/internal/leftover"
	"fabricast/internal/panics"
	"fabricast/internal/printable"
)

// Main runs the command with the process's arguments and returns its exit code.
func Main() int {
	defer leftover.Remove()
	panics.Handle(crash)
	defer panics.Catch("main")
	panics.Provoke("main")
	ctx := untilSignal()
	failOverLimit()
	log := printable.NewWriter(os.Stderr)
	root := New(printable.NewWriter(os.Stdout), log)
	root.SetArgs(os.Args[1:])
	err := inOrder(ctx, func() error { return root.ExecuteContext(ctx) })
	panics.Settle()
	if wantsJSON(os.Args[1:]) {
		return tellJSON(os.Stderr, err)
	}
	return tell(log, err)
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
		Version:       versionLine(),
		Args:          noSuchCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := emptyFlags(cmd); err != nil {
				return err
			}
			return besideOthers(cmd)
		},
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetOut(out)
	root.SetErr(log)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newRun(), newResume(), newRewind(), newExport(), newCheck(), newInit(), newSchema(), newTopo(), newTrace(),
		newPrograms(), newPatterns(), newMachines(), newSweep(), newSaturate(), newStudy(),
		newReport(), newView(),
		newCompare(), newCalibrate(), newBench(), newWrappers(), newCoverage(), newVersion(),
	)
	strictHelp(root)
	return root
}

// usage returns an error for wrong arguments, which exits with code 2.
func usage(cmd *cobra.Command, err error) error {
	return &usageError{fmt.Errorf("%w\nTry '%s --help'", err, cmd.CommandPath())}
}

// oneFile returns an error unless there is exactly one argument.
func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return wrongArguments(cmd, args, "the name of one experiment file")
	}
	if args[0] == "" {
		return usage(cmd, errors.New("found an empty name, expected that of an experiment file"))
	}
	return nil
}

// wrongArguments returns an error with the number of arguments found and what was expected.
func wrongArguments(cmd *cobra.Command, args []string, expected string) error {
	found := fmt.Sprintf("%d arguments", len(args))
	if len(args) == 1 {
		found = "1 argument"
	}
	return usage(cmd, fmt.Errorf("found %s, expected %s", found, expected))
}

// show prints data as JSON if asJSON is true, else as text.
func show[T any](cmd *cobra.Command, asJSON bool, data T, text func(io.Writer, T) error) error {
	if asJSON {
		return printJSON(cmd, data)
	}
	return text(cmd.OutOrStdout(), data)
}
