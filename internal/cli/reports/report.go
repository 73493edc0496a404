package reports

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"fabricast/internal/atomicfile"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/ending"
	"fabricast/report/data"
	"fabricast/report/page"
)

// reportFlags holds the flags of fabricast report.
type reportFlags struct {
	out  string
	text bool
}

func NewReport() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report FOLDER...",
		Short: "Make a report, one HTML file, of the results of a run, of several runs, or of a sweep",
		Long: `Make a report of the results that a run or a sweep has left in a folder: one HTML file that needs
nothing else and opens from disk. Of several runs it shows them side by side. What is missing or
broken in a folder is said on the page and on standard error; the rest is shown.`,
		Example: `  fabricast run examples/quickstart.yaml --out results/bruck && fabricast report results/bruck
  fabricast report torus-loads.sweep -o loads.html
  fabricast report results/bruck --text`,
		Args:              cmdline.SomeFolders,
		ValidArgsFunction: cmdline.Folders,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.report(cmd, args) },
	}
	cmd.Flags().StringVarP(&f.out, "output", "o", "",
		"the HTML `file` (default: the first folder's name "+
			"with .html, here; - for standard output)")
	cmd.Flags().BoolVar(&f.text, "text", false,
		"print the results of runs instead, as text, with a heat "+
			"map of small runs whose bins were recorded; of a run that is going on, how far it has got")
	return cmd
}

func (f *reportFlags) report(cmd *cobra.Command, paths []string) error {
	if f.text && f.out != "" {
		return cmdline.Usage(
			cmd,
			errors.New("found --text with --output, expected one of them: text goes to standard output"),
		)
	}
	if f.text {
		return writeTexts(cmd, paths)
	}
	out := f.out
	if out == "" {
		full, err := filepath.Abs(paths[0])
		if err != nil {
			return err
		}
		out = filepath.Base(full) + ".html"
	}
	return writeReport(cmd, out, paths)
}

// writeReport makes a report and writes it to file out, whose path it prints, or to standard output
// if out is "-".
func writeReport(cmd *cobra.Command, out string, paths []string) error {
	r, err := ending.UntilInterrupted(cmd.Context(), func() (*data.Report, error) { return data.Make(paths...) })
	if err != nil {
		return err
	}
	tellProblems(cmd.ErrOrStderr(), r.Manifest)
	if out == "-" {
		return writePage(cmd.OutOrStdout(), r)
	}
	if err := atomicfile.Write(out, func(w io.Writer) error { return writePage(w, r) }); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "the report is in %s\n", out)
	return nil
}

func writePage(w io.Writer, r *data.Report) error {
	manifest, err := r.Manifest.JSON()
	if err != nil {
		return err
	}
	return page.Write(w, page.Content{Title: r.Manifest.Title, Manifest: manifest, Blobs: r.Blobs.All()})
}

// tellProblems prints the problems that the report lists.
func tellProblems(log io.Writer, m *data.Manifest) {
	for _, p := range m.Problems {
		fmt.Fprintln(log, "fabricast: "+p)
	}
}
