package cli

import (
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSweepProcesses checks that a sweep starts a point in the number of processes that the point
// specifies, with the mpirun in the path, and with the same prediction as in one process. Without
// an mpirun the point's error names it.
func TestSweepProcesses(t *testing.T) {
	someLauncher(t, func(t *testing.T, m mpirun) {
		dir, tools := t.TempDir(), t.TempDir()
		text := "experiment: {network: {topology: {kind: torus, dims: [4, 4]}}, " +
			"workload: {program: alltoall, size: 1KiB}}\n" +
			"axes: [{field: engine.processes, values: [1, 2]}]\n" +
			"columns: [simulated_time_ps, latency_ps, max_ps, payload_bytes]\n"
		if err := os.WriteFile(filepath.Join(dir, "s.yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		program, err := exec.LookPath("fabricast")
		if err != nil {
			t.Fatal(err)
		}
		sweep := func(path string) (table, log string, err error) {
			cmd := exec.Command(program, "sweep", "s.yaml", "--keep=false", "--csv")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+path, "OMPI_ALLOW_RUN_AS_ROOT=1",
				"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1")
			var said strings.Builder
			cmd.Stderr = &said
			out, err := cmd.Output()
			return string(out), said.String(), err
		}
		if _, log, err := sweep(tools); err == nil || !strings.Contains(log, "no mpirun") {
			t.Errorf("without mpirun: %v, %s", err, log)
		}

		calls := filepath.Join(dir, "calls")
		script := "#!/bin/sh\nprintf '%s\\n' \"$*\" >> " + calls + "\nexec " + m.name + " \"$@\"\n"
		if err := os.WriteFile(filepath.Join(tools, "mpirun"), []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
		table, log, err := sweep(tools + ":" + os.Getenv("PATH"))
		if err != nil {
			t.Fatalf("%v\n%s", err, log)
		}
		rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
		if err != nil || len(rows) != 3 {
			t.Fatalf("%v: %s", err, table)
		}
		first := slices.Index(rows[0], "simulated_time_ps")
		if !slices.Equal(rows[1][first:], rows[2][first:]) {
			t.Errorf("two processes predict another result than one:\n%s", table)
		}
		if said, _ := os.ReadFile(calls); strings.Count(string(said), "-n 2 ") != 1 {
			t.Errorf("mpirun was called with %q, expected once with two processes", said)
		}
	})
}
