package reports

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"fabricast/export"
	"fabricast/internal/atomicfile"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/ending"
	"fabricast/record"
)

func NewExport() *cobra.Command {
	var format, out string
	var names []string
	for _, f := range export.Formats() {
		names = append(names, f.Name)
	}
	cmd := &cobra.Command{
		Use:   "export FOLDER",
		Short: "Turn the timeline of a result into a file for a trace viewer",
		Long: `Turn the timeline of a result folder, and its messages if they were recorded, into a file
for Perfetto, Chrome's trace viewer, Paraver, or a table.`,
		Example: `  fabricast run examples/quickstart.yaml --record timeline,messages --out results/a
  fabricast export results/a --format perfetto`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cmdline.WrongArguments(cmd, args, "one result folder")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f, ok := export.Find(format)
			if !ok {
				return cmdline.Usage(
					cmd,
					fmt.Errorf("found --format %s, expected one of %s", format, strings.Join(names, ", ")),
				)
			}
			r, err := record.Open(args[0])
			if err != nil {
				return err
			}
			if !r.Has(record.TimelineTable) {
				return cmdline.Usage(cmd, fmt.Errorf("%s holds no timeline: run with --record timeline", args[0]))
			}
			if out == "" {
				out = filepath.Join(args[0], "timeline"+f.Ending)
			}
			return writeExport(cmd, f, r, out)
		},
	}
	cmd.Flags().StringVar(&format, "format", "perfetto", "one of "+strings.Join(names, ", "))
	cmd.Flags().StringVar(&out, "out", "",
		"write to this `file`; for paraver, files of that name with "+
			"endings of their own (default timeline in the folder)")
	cmdline.Completes(cmd, "format", names...)
	return cmd
}

// writeExport writes the files of a format and prints their names.
func writeExport(cmd *cobra.Command, f *export.Format, r *record.Reader, out string) error {
	_, err := ending.UntilInterrupted(cmd.Context(), func() (struct{}, error) {
		return struct{}{}, atomicfile.WriteAll(
			f.Files(out),
			func(files []io.Writer) error { return f.Write(r, files...) },
		)
	})
	if err != nil {
		return err
	}
	for _, name := range f.Files(out) {
		fmt.Fprintln(cmd.OutOrStdout(), name)
	}
	return nil
}
