package reports

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/ending"
	"fabricast/internal/panics"
	"fabricast/report/view"
)

// ViewFlags holds the flags of commands that serve a report.
type ViewFlags struct {
	listen string
}

func (f *ViewFlags) Register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.listen, "listen", "127.0.0.1:0",
		"`address` at which the report is served; "+
			"port 0: any free one; without a host, this machine alone can read it")
}

func NewView() *cobra.Command {
	var f ViewFlags
	cmd := &cobra.Command{
		Use:   "view FOLDER...",
		Short: "Show the report of results in a browser, also while the run goes on",
		Long: `Serve the report that fabricast report makes to browsers on this machine, until Ctrl-C. While a run
that leaves its result in the folder goes on, the report follows it: how far it has got, and, if it
records bins, what the links have carried.`,
		Example: `  fabricast view results/bruck
  fabricast run examples/quickstart.yaml --out results/bruck --view`,
		Args:              cmdline.SomeFolders,
		ValidArgsFunction: cmdline.Folders,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.view(cmd, args) },
	}
	f.Register(cmd)
	return cmd
}

func (f *ViewFlags) view(cmd *cobra.Command, paths []string) error {
	s, err := ending.UntilInterrupted(
		cmd.Context(),
		func() (*view.Server, error) { return view.New(false, paths...) },
	)
	if err != nil {
		return err
	}
	s.Rewind(rewound)
	for _, p := range s.Problems() {
		fmt.Fprintln(cmd.ErrOrStderr(), "fabricast: "+p)
	}
	l, err := f.open(cmd)
	if err != nil {
		return err
	}
	return s.Serve(cmd.Context(), l)
}

// open starts to listen and prints the address. If the flag has no host name, it listens only on
// the loopback address.
func (f *ViewFlags) open(cmd *cobra.Command) (net.Listener, error) {
	host, port, err := net.SplitHostPort(f.listen)
	if err != nil {
		return nil, cmdline.Usage(
			cmd,
			fmt.Errorf("found --listen %s, expected an address and a port, such as 127.0.0.1:8080", f.listen),
		)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, cmdline.Usage(cmd, err)
	}
	if at, ok := l.Addr().(*net.TCPAddr); !ok || !at.IP.IsLoopback() {
		fmt.Fprintln(
			cmd.ErrOrStderr(),
			"fabricast: other machines can read the report too (with --listen :"+port+" only this one can)",
		)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "the report is at http://%s/ until Ctrl-C\n", l.Addr())
	return l, nil
}

// rewound simulates a period of a run again in a separate process, because the request can be
// cancelled at any time by closing the page.
func rewound(ctx context.Context, args []string) error {
	cmd := exec.CommandContext(ctx, ending.Self(), args...)
	cmd.Args[0] = os.Args[0]
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = ending.Patience
	var log bytes.Buffer
	cmd.Stderr = &log
	err := cmd.Run()
	if err != nil && log.Len() > 0 {
		return errors.New(ending.PlainErrors(log.String()))
	}
	return err
}

// Beside calls run and serves the report of the folder that run writes, even while run is being
// interrupted. If run returns without an error, the report stays available until the command's
// context ends.
func (f *ViewFlags) Beside(cmd *cobra.Command, folder string, run func() error) error {
	s, err := view.New(true, folder)
	if err != nil {
		return err
	}
	s.Rewind(rewound)
	l, err := f.open(cmd)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(cmd.Context()))
	defer stop()
	served := make(chan error, 1)
	panics.Go("server of reports", func() { served <- s.Serve(ctx, l) })
	if err := run(); err != nil {
		stop()
		<-served
		return err
	}
	select {
	case <-cmd.Context().Done():
		stop()
		return <-served
	case err := <-served:
		return err
	}
}
