package sweeps

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"fabricast"
	"fabricast/internal/cli/ending"
	"fabricast/internal/leftover"
)

// isolate runs a resolved experiment in a separate process, so that the CPU time and memory in the
// result are those of the experiment alone. It uses several processes if the experiment requests
// them.
func isolate(ctx context.Context, e *fabricast.Experiment) (*fabricast.Result, error) {
	folder, remove, err := leftover.TempDir("fabricast-")
	if err != nil {
		return nil, err
	}
	defer remove()
	file := filepath.Join(folder, "experiment.yaml")
	text, err := e.YAML()
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, text, 0o666); err != nil {
		return nil, err
	}
	workers := strconv.Itoa(max(1, e.Engine.Workers))
	cmd := exec.CommandContext(ctx, ending.Self(), "run", file, "--workers", workers, "--json")
	cmd.Args[0] = os.Args[0]
	if n := e.Engine.Processes; n > 1 {
		if cmd, err = launched(ctx, n, cmd.Args[1:]); err != nil {
			return nil, err
		}
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = ending.Patience
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == ending.Internal:
		return nil, ending.NewChildFault(log.String())
	case err != nil && e.Engine.Processes > 1:
		return nil, fmt.Errorf("%s: %w: %s", cmd.Path, err, ending.PlainErrors(log.String()))
	case err != nil && log.Len() > 0:
		return nil, errors.New(ending.PlainErrors(log.String()))
	case err != nil:
		return nil, fmt.Errorf("the process of the point: %w", err)
	}
	r := &fabricast.Result{}
	return r, json.Unmarshal(out, r)
}

// launched returns a command that starts this program in several processes.
func launched(ctx context.Context, processes int, args []string) (*exec.Cmd, error) {
	launcher, err := exec.LookPath("mpirun")
	if err != nil {
		return nil, fmt.Errorf(
			"engine.processes: found %d, expected 1 where no mpirun starts others: %w", processes, err,
		)
	}
	args = append([]string{"-n", strconv.Itoa(processes), ending.Self()}, args...)
	return exec.CommandContext(ctx, launcher, args...), nil
}
