package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"fabricast"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:               "version",
		Short:             "Print the version",
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), versionLine())
			return err
		},
	}
}

func versionLine() string {
	return fmt.Sprintf(
		"fabricast %s (%s, %s/%s)",
		fabricast.FullVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
	)
}
