package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"fabricast/cmpi"
	"fabricast/internal/cli/console"
)

func newWrappers() *cobra.Command {
	return &cobra.Command{
		Use:   "mpi-wrappers FOLDER",
		Short: "Install mpicc, mpicxx and mpifort, which build MPI programs for the simulator",
		Long: `Installs compilers in a folder. What they build runs on simulated networks:

  fabricast mpi-wrappers ./bin
  ./bin/mpicc -O2 -o prog prog.c
  fabricast run torus.yaml -n 64 -- ./prog`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := cmpi.Install(args[0])
			for _, name := range names {
				fmt.Fprintln(cmd.OutOrStdout(), name)
			}
			if missing := cmpi.Missing(); err == nil && missing != nil {
				console.TellNote(cmd, missing.Error())
			}
			return err
		},
	}
}

// coverageSchema is the schema name and version of the JSON of fabricast mpi-coverage.
const coverageSchema = "fabricast.mpi-coverage/1"

func newCoverage() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "mpi-coverage [OBJECT]",
		Short: "List the functions of MPI, or those that a program calls, and which are missing",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list := cmpi.Functions()
			if len(args) > 0 {
				var err error
				if list, err = cmpi.FunctionsOf(args[0]); err != nil {
					return err
				}
			}
			return printCoverage(cmd.OutOrStdout(), list, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func printCoverage(w io.Writer, list []cmpi.Use, asJSON bool) error {
	missing := 0
	for _, u := range list {
		if !u.Here {
			missing++
		}
	}
	if asJSON {
		text, err := json.MarshalIndent(
			map[string]any{"schema": coverageSchema, "functions": list, "missing": missing},
			"",
			"  ",
		)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s\n", text)
		return err
	}
	for _, u := range list {
		mark := ""
		if !u.Here {
			mark = "  missing"
		}
		fmt.Fprintln(w, u.Name+mark)
	}
	_, err := fmt.Fprintf(w, "%d functions, %d of them missing\n", len(list), missing)
	return err
}
