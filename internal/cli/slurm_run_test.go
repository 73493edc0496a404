package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// srun returns a fabricast command in two processes of the cluster, in the folder dir, that are
// joined by the Slurm interface mpi.
func (c *slurmCluster) srun(dir, mpi string, args ...string) *exec.Cmd {
	flags := []string{"--ntasks", "2", "--mpi", mpi, "--kill-on-bad-exit=1", "fabricast"}
	cmd := exec.Command("srun", append(flags, args...)...)
	cmd.Dir, cmd.Env = dir, c.environment()
	return cmd
}

// TestSlurmRun checks that an experiment in the processes of srun leaves the folder of a single
// process, also if the job gets a warning signal and is resumed in one process. If a process is
// killed, all end.
func TestSlurmRun(t *testing.T) {
	t.Parallel()
	c := startCluster(t)
	dir := t.TempDir()
	text := "network: {topology: {kind: torus, dims: [4, 4, 4]}}\n" +
		"workload: {program: alltoall, algorithm: bruck, size: 8KiB, iterations: 8}\n"
	if err := os.WriteFile(filepath.Join(dir, "e.yaml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(cmd *exec.Cmd) {
		t.Helper()
		if log, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, log)
		}
	}
	here := func(args ...string) *exec.Cmd {
		cmd := exec.Command("fabricast", args...)
		cmd.Dir = dir
		return cmd
	}
	run(here("run", "e.yaml", "--out", "alone"))
	want := folderOf(t, filepath.Join(dir, "alone"))
	same := func(folder string) {
		t.Helper()
		got := folderOf(t, filepath.Join(dir, folder))
		for name := range want {
			if name != "experiment.yaml" && !bytes.Equal(want[name], got[name]) {
				t.Errorf("%s/%s is another than that of one process", folder, name)
			}
		}
	}
	run(c.srun(dir, "pmi2", "run", "e.yaml", "--out", "shared"))
	same("shared")

	// Without an interface each process would simulate the whole experiment alone.
	log, err := c.srun(dir, "none", "run", "e.yaml", "--out", "none").CombinedOutput()
	if err == nil || !strings.Contains(string(log), "choose its interface") {
		t.Errorf("srun --mpi=none: %v\n%s", err, log)
	}

	for _, kill := range []bool{false, true} {
		folder := map[bool]string{false: "warned", true: "killed"}[kill]
		path := filepath.Join(dir, folder)
		cmd := c.srun(dir, "pmi2", "run", "e.yaml", "--out", path, "--checkpoint", "sim:100us", "--workers", "1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitForFile(t, filepath.Join(path, "checkpoint.fbc"))
		if kill {
			_ = syscall.Kill(processOf(t, mpirun{rank: "PMI_RANK"}, path, 1), syscall.SIGKILL)
		} else {
			c.run("scancel", "--signal=TERM", "--user="+name(t))
		}
		if endsSoon(t, cmd) == nil {
			t.Fatalf("%s: the run ends as if nothing had happened", folder)
		}
		run(here("resume", path))
		same(folder)
	}
}
