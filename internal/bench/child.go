package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"fabricast/internal/machine"
)

// patience is how long an interrupted child process may take to end by itself.
const patience = 2 * time.Second

// run is one run of a case.
type run struct {
	result       *Measured
	instructions int64 // in user mode; 0 if the machine cannot count them
}

// measureOnce runs the child process and parses its output.
func measureOnce(cmd *exec.Cmd, counter *machine.Counter) (*run, error) {
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = patience
	instructions, err := counter.Run(cmd)
	if text := strings.TrimSpace(log.String()); err != nil && text != "" {
		return nil, errors.New(text)
	}
	if err != nil {
		return nil, err
	}
	r := &run{result: new(Measured), instructions: instructions}
	if err := json.Unmarshal(out.Bytes(), r.result); err != nil {
		return nil, fmt.Errorf("what the run printed cannot be read: %w", err)
	}
	return r, nil
}
