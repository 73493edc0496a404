package runs

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/ending"
	"fabricast/internal/cluster/transport"
)

// fellows are the processes of a launcher that share a command's run. The first one prints and
// records; the others are silent.
type fellows struct {
	*fabricast.Processes
	// the error of the command is known to all processes, so that none waits for another
	agreed bool
	// this process has ended the use of MPI
	ended bool
}

// together carries out a command with the other processes of a launcher, if there is one. It sets
// the flags' fellows.
func (f *runFlags) together(cmd *cobra.Command, do func() error) error {
	launcher, launched := transport.Launched()
	if !launched {
		return do()
	}
	p, err := fabricast.JoinProcesses()
	if err != nil {
		return ending.Silent(err, launcher.Rank == 0)
	}
	if err = sameCommand(cmd, p); err == nil {
		err = f.alone(cmd)
	}
	if err != nil { // which all processes have
		p.End()
		return ending.Silent(err, p.First())
	}
	f.fellows.Processes = p
	if f.workers == 0 {
		f.workers = p.Workers()
	}
	if !p.First() {
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
	}
	err = do()
	if err != nil && !f.fellows.ended && f.fellows.mustAbort(err) {
		f.fellows.abort(cmd, err)
	}
	f.fellows.end()
	return ending.Silent(err, p.First())
}

// alone returns an error for flags that need one process.
func (f *runFlags) alone(cmd *cobra.Command) error {
	if f.watch {
		return cmdline.Usage(cmd, errors.New("found --watch in a run of several processes, expected it without: "+
			"follow the run by --view, or by fabricast view FOLDER"))
	}
	return nil
}

// end ends the use of MPI, once. The other processes may then end before this one.
func (f *fellows) end() {
	if f.Processes != nil && !f.ended {
		f.ended = true
		f.End()
	}
}

// settle makes an error of any process end the command in all.
func (f *fellows) settle(err error) error {
	if f.Processes == nil {
		return err
	}
	err = f.Settle(err)
	f.agreed = err != nil
	return err
}

// mustAbort reports whether other processes may wait for this one, which has an error.
func (f *fellows) mustAbort(err error) bool {
	var interrupted *fabricast.InterruptedError
	return !f.agreed || errors.As(err, &interrupted) && interrupted.Computing
}

// hesitation is how long they wait before they end all because of an error that only they may have:
// the first may report the same, and the launcher be slow to end all.
const hesitation = 3 * time.Second

// forwarding is how long the launcher has to pass on the error before it is asked to end all.
// MPICH's loses what it has not yet read by then.
const forwarding = 300 * time.Millisecond

// abort reports an error that only this process may have, and ends all processes.
func (f *fellows) abort(cmd *cobra.Command, err error) {
	if !f.First() {
		time.Sleep(hesitation)
	}
	log := cmd.Root().ErrOrStderr()
	fmt.Fprintf(log, "fabricast: process %d of %d ends the run:\n", f.Rank(), f.Size())
	code := ending.Tell(log, err)
	time.Sleep(forwarding)
	f.Abort(code)
}
