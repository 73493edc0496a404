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

// fellows are the processes of a launcher that share the run of a command. The first process prints
// and records; the others are silent.
type fellows struct {
	*fabricast.Processes
	// all processes know the command's error, so that none waits for another process
	agreed bool
	// this process has finalized MPI
	ended bool
}

// together executes a command jointly with the other processes of a launcher, if there are any. It
// sets f.fellows.
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
	if err != nil { // all processes have the error
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

// alone returns an error for flags that require a single process.
func (f *runFlags) alone(cmd *cobra.Command) error {
	if f.watch {
		return cmdline.Usage(cmd, errors.New("found --watch in a run of several processes, expected it without: "+
			"follow the run by --view, or by fabricast view FOLDER"))
	}
	return nil
}

// end finalizes MPI, once. Other processes can then end without waiting for this one.
func (f *fellows) end() {
	if f.Processes != nil && !f.ended {
		f.ended = true
		f.End()
	}
}

// settle makes the command return an error in all processes if any of them has one.
func (f *fellows) settle(err error) error {
	if f.Processes == nil {
		return err
	}
	err = f.Settle(err)
	f.agreed = err != nil
	return err
}

// mustAbort reports whether other processes may be waiting for this process, which has an error.
func (f *fellows) mustAbort(err error) bool {
	var interrupted *fabricast.InterruptedError
	return !f.agreed || errors.As(err, &interrupted) && interrupted.Computing
}

// hesitation is the time that a process other than the first waits before it aborts all processes
// because of an error. The first process may report the same error, and the launcher may need time
// to end all processes.
const hesitation = 3 * time.Second

// forwarding is the time that the launcher gets to forward the error message before it is asked to
// kill all processes. MPICH's launcher loses output that it has not read by then.
const forwarding = 300 * time.Millisecond

// abort reports an error that only this process may have, and aborts all processes.
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
