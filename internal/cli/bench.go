package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fabricast/internal/bench"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
)

// benchFlags holds the flags of fabricast bench.
type benchFlags struct {
	full   bool
	only   []string
	repeat int
	json   bool
}

func newBench() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the simulator's own speed and memory on this machine",
		Long: `Measure the simulator's own speed and memory on this machine, each case in a process of its
own. The short form takes some minutes and cuts large cases down; --full runs all of them as
published, which takes about half an hour and several GB of memory.

Cases: ` + strings.Join(bench.Names(), ", ") + `.`,
		Example: `  fabricast bench
  fabricast bench --full --only nsim-64k --only nsim-64k-2w`,
		Args:              cmdline.NoArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return f.bench(cmd) },
	}
	cmd.Flags().BoolVar(&f.full, "full", false, "run all cases at their full size")
	cmd.Flags().StringSliceVar(&f.only, "only", nil, "measure only the case of this `name` (repeatable)")
	cmdline.Count(cmd.Flags(), &f.repeat, "repeat", 1,
		"how many times each case runs, for medians (default 3 for "+
			"small ones, else 1)")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the table as JSON")
	_ = cmd.RegisterFlagCompletionFunc(
		"only",
		func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return bench.Names(), cobra.ShellCompDirectiveNoFileComp
		},
	)
	cmd.AddCommand(newMeasure())
	return cmd
}

func (f *benchFlags) bench(cmd *cobra.Command) error {
	cases, err := bench.Select(f.only)
	if err != nil {
		return cmdline.Usage(cmd, err)
	}
	options := bench.Options{Cases: cases, Full: f.full, Repeat: f.repeat, Child: measureCommand}
	line := console.NewProgressLine(cmd.ErrOrStderr())
	if line != nil {
		options.Progress = func(p bench.Progress) {
			line.Show(fmt.Sprintf("case %d of %d, %s: %.0f s", p.Number, p.Of, p.Case, p.Elapsed.Seconds()))
		}
	} else {
		log, begin := console.NewProgressLog(cmd.ErrOrStderr()), time.Now()
		options.Progress = func(p bench.Progress) {
			log.Show(time.Since(begin), fmt.Sprintf(
				"case %d of %d, %s: %.0f s", p.Number, p.Of, p.Case, p.Elapsed.Seconds(),
			))
		}
	}
	report, err := bench.Run(cmd.Context(), options)
	line.Clear()
	return errors.Join(f.print(cmd, report), err, failures(report))
}

func (f *benchFlags) print(cmd *cobra.Command, r *bench.Report) error {
	if f.json {
		return console.PrintJSON(cmd, r)
	}
	return r.Text(cmd.OutOrStdout())
}

// failures returns an error if cases failed; the printed table contains the reasons.
func failures(r *bench.Report) error {
	if n := r.Failed(); n > 0 {
		return fmt.Errorf("%d of %d cases failed", n, len(r.Cases))
	}
	return nil
}

// measureCommand returns the command that runs the hidden subcommand bench measure in a separate
// process.
func measureCommand(ctx context.Context, name string, full bool) *exec.Cmd {
	cmd := exec.CommandContext(ctx, ending.Self(), "bench", "measure", name, fmt.Sprintf("--full=%t", full))
	cmd.Args[0] = os.Args[0]
	return cmd
}

func newMeasure() *cobra.Command {
	var full bool
	cmd := &cobra.Command{
		Use:    "measure NAME",
		Short:  "Run one case once and print its result as JSON",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			result, err := bench.Measure(cmd.Context(), args[0], full)
			if err != nil {
				return err
			}
			return console.PrintJSON(cmd, result)
		},
	}
	cmd.Flags().BoolVar(&full, "full", false, "at its full size")
	return cmd
}
