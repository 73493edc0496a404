package sweeps

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/internal/atomicfile"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/report"
	"fabricast/sweep"
)

// saturateFlags holds the flags of fabricast saturate.
type saturateFlags struct {
	experiment cmdline.ExperimentFlags
	workers    int
	from, to   fabricast.Fraction
	resolution fabricast.Fraction
	out        string
	json       bool
}

// shareFlag makes a Fraction usable as a flag value.
type shareFlag struct{ *fabricast.Fraction }

// Type returns the name of the value's type for the command's help.
func (shareFlag) Type() string { return "share" }

func NewSaturate() *cobra.Command {
	f := saturateFlags{from: fabricast.Percent, to: fabricast.Whole, resolution: fabricast.Percent}
	cmd := &cobra.Command{
		Use:   "saturate FILE.yaml",
		Short: "Find the load up to which a network keeps up with its traffic",
		Long: `Find the saturation point of an experiment with traffic by bisection: the highest load found
stable and the lowest found not to be. The load that the file gives does not matter. With --out a
folder keeps the loads that were tried as a table, as a sweep of them would, with plots of
latency and throughput; fabricast report and view show it. A search that was interrupted goes on there.`,
		Example: `  fabricast saturate examples/uniform-torus.yaml
  fabricast saturate examples/uniform-torus.yaml --set network.router.vcs=8 --resolution 0.5%
  fabricast saturate examples/uniform-torus.yaml --out torus.saturation && fabricast view torus.saturation`,
		Args:              cmdline.OneFile,
		ValidArgsFunction: cmdline.ExperimentFiles,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.saturate(cmd, args[0]) },
	}
	f.experiment.Register(cmd)
	cmdline.Count(cmd.Flags(), &f.workers, "workers", 1,
		"how many cores simulate at once; does not change the "+
			"result (default all)")
	cmd.Flags().Var(shareFlag{&f.from}, "from", "the lowest load to try")
	cmd.Flags().Var(shareFlag{&f.to}, "to", "the highest load to try")
	cmd.Flags().Var(shareFlag{&f.resolution}, "resolution", "width of the interval that is narrow enough")
	cmd.Flags().StringVar(&f.out, "out", "", "leave results, tables and plots in this `folder`")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the interval and all steps as JSON")
	return cmd
}

func (f *saturateFlags) saturate(cmd *cobra.Command, path string) error {
	if f.from <= 0 || f.from >= f.to || f.to > fabricast.Whole || f.resolution <= 0 {
		return cmdline.Usage(
			cmd,
			fmt.Errorf(
				"found loads from %s to %s with a resolution of %s, expected 0 < from < to <= 1 and "+
					"a resolution above 0",
				f.from, f.to, f.resolution,
			),
		)
	}
	e, err := f.experiment.Load(cmd, path)
	if err != nil {
		return err
	}
	search := sweep.Search{
		From:       f.from,
		To:         f.to,
		Resolution: f.resolution,
		Folder:     f.out,
		Options:    []fabricast.Option{fabricast.Workers(f.workers)},
		Damaged:    (&sweepFlags{}).tellDamaged(cmd),
	}
	line := console.NewProgressLine(cmd.ErrOrStderr())
	if line != nil {
		search.Progress = func(s sweep.SaturationStep) {
			line.Show(fmt.Sprintf("load %s: stable %t", s.Load, s.Stable))
		}
	}
	s, err := sweep.Saturate(cmd.Context(), e, search)
	line.Clear()
	if err != nil {
		return err
	}
	return errors.Join(f.leave(path, s), console.Show(cmd, f.json, s, printSaturation))
}

// saturationFile is the file with the result of a search, in the format of --json.
const saturationFile = "saturation.json"

// leave writes the result of the search to the folder, with a sweep table of the loads that were
// tried.
func (f *saturateFlags) leave(path string, s *sweep.Saturation) error {
	if f.out == "" {
		return nil
	}
	t, err := s.Table("Saturation of " + strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(s, "", "  ")
	err = errors.Join(err, atomicfile.WriteBytes(filepath.Join(f.out, saturationFile), append(text, '\n')))
	return errors.Join(err, leaveTable(f.out, t, []sweep.Verdict{s.Verdict()}))
}

func printSaturation(w io.Writer, s *sweep.Saturation) error {
	width := len("accepted")
	for _, x := range s.Steps {
		width = max(width, len(x.Load.String()))
	}
	fmt.Fprintf(w, "%*s  %8s  %12s\n", width, "load", "accepted", "latency")
	steps := slices.SortedFunc(
		slices.Values(s.Steps),
		func(a, b sweep.SaturationStep) int { return cmp.Compare(a.Load, b.Load) },
	)
	for _, x := range steps {
		verdict := "stable"
		if !x.Stable {
			verdict = "saturated: " + report.Saturated(x.SaturatedBy, x.Growth, x.WorstGrowth)
		}
		fmt.Fprintf(
			w, "%*s  %8s  %12s  %s\n", width, x.Load, report.Load(x.Accepted),
			report.Time(int64(x.Latency)), verdict,
		)
	}
	_, err := fmt.Fprintf(w, "%s\n%s\n", s.Conclusion(), s.Criterion)
	return err
}
