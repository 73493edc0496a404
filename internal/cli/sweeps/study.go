package sweeps

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/ending"
	"fabricast/sweep"
)

// studyFlags holds the flags of fabricast study.
type studyFlags struct {
	sweepFlags
	table bool
}

func NewStudy() *cobra.Command {
	var f studyFlags
	cmd := &cobra.Command{
		Use:   "study FILE.yaml|FOLDER...",
		Short: "Run sweeps and check the findings that are expected of them",
		Long: `Run sweeps and check the findings that are expected of them. Of a folder, all files that
end in .yaml are run. The command fails if a finding does not hold, or a point fails; findings are then
judged by the points that did not.`,
		Example: `  fabricast study studies/hinetsim
  fabricast study studies/validation/torus-8x8.yaml --quick --table`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmdline.Usage(
					cmd,
					errors.New("found no argument, expected the names of study files or folders"),
				)
			}
			return nil
		},
		ValidArgsFunction: cmdline.ExperimentFiles,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.studies(cmd, args) },
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&f.table, "table", false, "print the tables too")
	return cmd
}

func (f *studyFlags) studies(cmd *cobra.Command, args []string) error {
	files, err := studyFiles(args)
	if err != nil {
		return err
	}
	folders, err := studyFolders(files)
	if err != nil {
		return err
	}
	var failed, all int
	var errs []error
	out := f.out
	for i, path := range files {
		switch {
		case out == "":
			f.out = folders[i] + ".sweep"
		case len(files) > 1:
			f.out = filepath.Join(out, folders[i])
		}
		verdicts, err := f.study(cmd, path)
		var points *sweep.PointsError
		if errors.As(err, &points) {
			errs = append(errs, fmt.Errorf("%s: %w", path, err))
		} else if err != nil {
			return err
		}
		for _, v := range verdicts {
			all++
			if !v.Holds {
				failed++
			}
		}
	}
	if failed > 0 {
		errs = append(errs, fmt.Errorf("%d of %d findings do not hold", failed, all))
	}
	return errors.Join(errs...)
}

// studyFiles returns the named files, and the files ending in .yaml in the named folders.
func studyFiles(args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		if info, err := os.Stat(arg); err != nil || !info.IsDir() {
			files = append(files, arg)
			continue
		}
		found, err := filepath.Glob(filepath.Join(arg, "*.yaml"))
		if err != nil || len(found) == 0 {
			return nil, &ending.UsageError{Err: fmt.Errorf("%s: found no file that ends in .yaml, expected studies", arg)}
		}
		files = append(files, found...)
	}
	return files, nil
}

// study runs a study. If points fail, it returns both verdicts and a *sweep.PointsError.
func (f *studyFlags) study(cmd *cobra.Command, path string) ([]sweep.Verdict, error) {
	file, err := openSweep(cmd, path)
	if err != nil {
		return nil, err
	}
	t, failed := f.run(cmd, file, path)
	if t == nil {
		return nil, failed
	}
	if sweepInterrupted(failed) {
		return nil, errors.Join(f.leave(t, path, nil), failed)
	}
	verdicts, err := t.Judge()
	if err != nil {
		return nil, err
	}
	if err := f.leave(t, path, verdicts); err != nil {
		return nil, err
	}
	if err := f.printStudy(cmd, file, path, t, verdicts); err != nil {
		return nil, err
	}
	return verdicts, failed
}

func (f *studyFlags) printStudy(
	cmd *cobra.Command,
	file *sweep.File,
	path string,
	t *sweep.Table,
	verdicts []sweep.Verdict,
) error {
	w := cmd.OutOrStdout()
	if f.json {
		report, err := t.Report()
		if err != nil {
			return err
		}
		report.Findings = verdicts
		return json.NewEncoder(w).Encode(report)
	}
	fmt.Fprintf(w, "%s: %s\n", path, file.Title)
	if f.table {
		if err := t.Text(w); err != nil {
			return err
		}
	}
	if failed := t.Failed(); len(failed) > 0 {
		fmt.Fprintf(
			w, "  %d of %d points failed; findings are judged without them\n", len(failed),
			len(t.Rows),
		)
		for _, text := range failed {
			fmt.Fprintf(w, "        %s\n", text)
		}
	}
	for _, v := range verdicts {
		switch {
		case v.Skipped:
			fmt.Fprintf(w, "  --    %s (of the full study, or of large points)\n", v.That)
		case v.Holds:
			fmt.Fprintf(w, "  holds %s\n        %s (%d checked)\n", v.That, v.Worst, v.Checked)
		default:
			fmt.Fprintf(w, "  FAILS %s\n", v.That)
			for _, x := range v.Failing {
				fmt.Fprintf(w, "        %s\n", x)
			}
			if len(v.Failing) == 0 {
				fmt.Fprintf(w, "        %s\n", v.Worst)
			}
		}
	}
	return nil
}
