package cli

import (
	"context"
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/report/view"
)

// viewFlags are the flags of commands that serve a report.
type viewFlags struct {
	listen string
}

func (f *viewFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.listen, "listen", "127.0.0.1:0", "`address` at which the report is served; 0: any free port")
}

func newView() *cobra.Command {
	var f viewFlags
	cmd := &cobra.Command{
		Use:   "view FOLDER...",
		Short: "Show the report of results in a browser, also while the run goes on",
		Long: `Serve the report that fabricast report makes to browsers on this machine, until Ctrl-C. While a run
that leaves its result in the folder goes on, the report follows it: how far it has got, and, if it
records bins, what the links have carried.`,
		Example: `  fabricast view results/bruck
  fabricast run examples/quickstart.yaml --out results/bruck --view`,
		Args:              someFolders,
		ValidArgsFunction: folders,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.view(cmd, args) },
	}
	f.register(cmd)
	return cmd
}

func (f *viewFlags) view(cmd *cobra.Command, paths []string) error {
	s, err := view.New(false, paths...)
	if err != nil {
		return err
	}
	for _, p := range s.Problems() {
		fmt.Fprintln(cmd.ErrOrStderr(), "fabricast: "+p)
	}
	l, err := f.open(cmd)
	if err != nil {
		return err
	}
	return s.Serve(cmd.Context(), l)
}

// open begins to listen and tells where.
func (f *viewFlags) open(cmd *cobra.Command) (net.Listener, error) {
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return nil, usage(cmd, err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "the report is at http://%s/ until Ctrl-C\n", l.Addr())
	return l, nil
}

// beside runs f while the report of what it leaves in a folder is served. Once f has returned without
// an error the report stays until the context ends.
func (f *viewFlags) beside(cmd *cobra.Command, folder string, run func() error) error {
	s, err := view.New(true, folder)
	if err != nil {
		return err
	}
	l, err := f.open(cmd)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l) }()
	if err := run(); err != nil {
		stop()
		<-served
		return err
	}
	return <-served
}

// load reads the experiment.
func (f *runFlags) load(cmd *cobra.Command, file string) (*fabricast.Experiment, error) {
	e, err := f.experiment.load(cmd, file)
	if err == nil {
		f.recordForView(e)
	}
	return e, err
}

// recordForView has a run that is looked at record bins.
func (f *runFlags) recordForView(e *fabricast.Experiment) {
	if f.view {
		e.Record.Set("bins")
	}
}
