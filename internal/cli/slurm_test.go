package cli

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"fabricast/internal/cli/ending"
	"fabricast/internal/needed"
)

// slurmCluster is a Slurm cluster of one node with two cores, for one test.
type slurmCluster struct {
	folder string
	conf   string // path of its configuration, as in the variable SLURM_CONF
}

// startCluster starts a cluster that ends with the test, and also if the test process is killed.
func startCluster(t *testing.T) *slurmCluster {
	t.Helper()
	for _, program := range []string{"sbatch", "squeue", "scancel", "sinfo", "slurmctld", "slurmd", "munged"} {
		if _, err := exec.LookPath(program); err != nil {
			needed.Missing(t, err)
		}
	}
	folder, err := os.MkdirTemp("", "slurm-") // socket paths must be short
	if err != nil {
		t.Fatal(err)
	}
	c := &slurmCluster{folder: folder, conf: filepath.Join(folder, "slurm.conf")}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	key := bytes.Repeat([]byte("a key for tests "), 64)
	for name, text := range map[string][]byte{"munge.key": key, "slurm.conf": c.configuration(t)} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"state", "spool"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c.daemon(
		t,
		"munged",
		"--foreground",
		"--force",
		"--key-file="+c.file("munge.key"),
		"--socket="+c.file("socket"),
		"--pid-file="+c.file("munged.pid"),
		"--log-file="+c.file("munged.log"),
		"--seed-file="+c.file("seed"),
	)
	waitForFile(t, c.file("socket"))
	c.daemon(t, "slurmctld", "-D")
	c.daemon(t, "slurmd", "-D")
	t.Cleanup(func() { // before the daemons end, because jobs are not their child processes
		c.run("scancel", "--full", "--user="+name(t))
		c.until(t, "no job is left", func() bool { return c.run("squeue", "--noheader") == "" })
	})
	c.until(
		t,
		"the node is idle",
		func() bool { return strings.TrimSpace(c.run("sinfo", "--noheader", "--format=%T")) == "idle" },
	)
	return c
}

func (c *slurmCluster) file(name string) string { return filepath.Join(c.folder, name) }

// name returns the name of the user.
func name(t *testing.T) string {
	t.Helper()
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	return u.Username
}

func (c *slurmCluster) configuration(t *testing.T) []byte {
	t.Helper()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	var ports [2]int
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return fmt.Appendf(nil, `ClusterName=test
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[4]d
SlurmdPort=%[5]d
AuthType=auth/munge
AuthInfo=socket=%[2]s/socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmUser=%[3]s
SlurmdUser=%[3]s
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/ctld.pid
SlurmdPidFile=%[2]s/d.pid
SlurmctldLogFile=%[2]s/ctld.log
SlurmdLogFile=%[2]s/d.log
ReturnToService=2
SelectType=select/cons_tres
SchedulerParameters=batch_sched_delay=0
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`, host, c.folder, name(t), ports[0], ports[1])
}

// environment returns the environment of commands on the cluster.
func (c *slurmCluster) environment() []string { return append(os.Environ(), "SLURM_CONF="+c.conf) }

// daemon starts a program that runs until the end of the test.
func (c *slurmCluster) daemon(t *testing.T, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = c.environment()
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	// The system kills a daemon when the thread that started it ends, so this thread must stay.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	begun, end, ended := make(chan error), make(chan struct{}), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(ended)
		err := cmd.Start()
		begun <- err
		if err != nil {
			return
		}
		<-end
		_ = cmd.Process.Signal(syscall.SIGTERM)
		stop := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		defer stop.Stop()
		_ = cmd.Wait() // it was ended by the test
	}()
	if err := <-begun; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		close(end)
		<-ended
		if t.Failed() {
			t.Logf("%s: %s", program, &log)
		}
	})
}

// run runs a Slurm command and returns its output.
func (c *slurmCluster) run(program string, args ...string) string {
	cmd := exec.Command(program, args...)
	cmd.Env = c.environment()
	out, err := cmd.Output()
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// until waits until the condition is true. what describes it.
func (c *slurmCluster) until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for begin := time.Now(); !is(); time.Sleep(100 * time.Millisecond) {
		if time.Since(begin) > 2*time.Minute {
			t.Fatalf("it never came to pass that %s", what)
		}
	}
}

// sweep returns a command that runs the shared sweep in a job, with the given result folder, and
// its log.
func (c *slurmCluster) sweep(path, folder string, more ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command(
		"fabricast",
		append([]string{"sweep", path, "--launcher", "slurm", "--csv", "--out", folder}, more...)...)
	cmd.Env = c.environment()
	var log bytes.Buffer
	cmd.Stderr = &log
	return cmd, &log
}

// collected checks that a command succeeds with the table of a single process.
func (c *slurmCluster) collected(t *testing.T, path, folder string, want []byte, more ...string) {
	t.Helper()
	cmd, log := c.sweep(path, folder, more...)
	if table, err := cmd.Output(); err != nil || !bytes.Equal(table, want) {
		t.Errorf("%v: %v\n%s\nfound %s, expected %s", cmd.Args, err, log, table, want)
	}
	c.until(t, "no job is left", func() bool { return c.run("squeue", "--noheader") == "" })
	sameTable(t, folder, want)
	if _, err := os.Stat(filepath.Join(folder, "slurm", "job.json")); !os.IsNotExist(err) {
		t.Errorf("the job's file is there: %v", err)
	}
}

// TestSlurm runs a sweep in jobs of a real Slurm cluster.
func TestSlurm(t *testing.T) {
	t.Parallel()
	path, want := sweepAlone(t)
	c := startCluster(t)
	out := func(t *testing.T) string { return filepath.Join(t.TempDir(), "out") }
	t.Run("whole", func(t *testing.T) { c.collected(t, path, out(t), want) })
	t.Run("studies", c.studiesOnSlurm)
	t.Run("tune", c.tuneOnSlurm)
	t.Run("refused partition", func(t *testing.T) {
		folder := out(t)
		cmd, log := c.sweep(path, folder, "--partition", "nowhere")
		said := "fabricast: sbatch: invalid partition specified: nowhere"
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != ending.Failed || !strings.Contains(log.String(), said) ||
			!strings.Contains(log.String(), "the cluster's partitions: all") {
			t.Errorf("%v, %s", err, log)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		folder := out(t)
		cmd, log := c.sweep(path, folder, "--tasks", "2", "--sbatch", "--comment=a test")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitForFile(t, filepath.Join(folder, "points", "*.json"))
		signalled(t, cmd, os.Interrupt)
		if !strings.Contains(log.String(), " is ended") {
			t.Errorf("it says %s", log)
		}
		c.until(t, "no job is left", func() bool { return c.run("squeue", "--noheader") == "" })
		if left, _ := filepath.Glob(filepath.Join(folder, "points", "*.claim.*")); len(left) > 0 {
			t.Errorf("left %v", left)
		}
		c.collected(t, path, folder, want)
	})
	t.Run("detached, killed", func(t *testing.T) {
		folder := out(t)
		cmd, log := c.sweep(path, folder, "--detach")
		if table, err := cmd.Output(); err != nil || len(table) > 0 {
			t.Fatalf("%v, %s\n%s", err, table, log)
		}
		cmd, _ = c.sweep(path, folder)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitForFile(t, filepath.Join(folder, "points", "*.json"))
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		c.collected(t, path, folder, want)
	})
	t.Run("tasks end early", func(t *testing.T) {
		folder := out(t)
		cmd, log := c.sweep(path, folder, "--tasks", "1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitForFile(t, filepath.Join(folder, "points", "*.json"))
		c.run("scancel", "--user="+name(t))
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != ending.Failed ||
			!strings.Contains(log.String(), "of 18 points are not done: all tasks of job ") ||
			!strings.Contains(log.String(), "the same command runs the rest") {
			t.Errorf("%v, %s", err, log)
		}
		c.collected(t, path, folder, want)
	})
}

// studyText is a study with one finding that holds and one that does not; %s is the number of
// virtual channels.
const studyText = `
experiment: {network: {topology: {dims: [4, 4]}, router: {vcs: %s}}, traffic: {load: 20%%}}
axes:
  - {name: load, field: traffic.load, values: [10%%, 20%%]}
columns: [accepted]
findings:
  - {that: little is sent, value: accepted, at_most: 0.3}
  - {that: much is sent, value: accepted, at_least: 0.9}
`

// studiesOnSlurm runs two studies, each in its own job, and compares the output and the exit code
// with those of a single process.
func (c *slurmCluster) studiesOnSlurm(t *testing.T) {
	dir := t.TempDir()
	for name, vcs := range map[string]string{"one.yaml": "2", "two.yaml": "4"} {
		if err := os.WriteFile(filepath.Join(dir, name), fmt.Appendf(nil, studyText, vcs), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	study := func(more ...string) (table string, log string, code int) {
		cmd := exec.Command("fabricast", append([]string{"study", "one.yaml", "two.yaml", "--table"}, more...)...)
		cmd.Dir, cmd.Env = dir, c.environment()
		var said bytes.Buffer
		cmd.Stderr = &said
		out, _ := cmd.Output()
		return string(out), said.String(), cmd.ProcessState.ExitCode()
	}
	want, said, wantCode := study("--keep=false")
	if wantCode != ending.Failed || !strings.Contains(said, "2 of 4 findings do not hold") {
		t.Fatalf("alone: exit code %d\n%s\n%s", wantCode, want, said)
	}
	got, said, code := study("--launcher", "slurm", "--tasks", "2", "--out", "out")
	if got != want || code != wantCode || !strings.Contains(said, "2 of 4 findings do not hold") {
		t.Errorf("exit code %d\n%s\nfound %s, expected %s", code, said, got, want)
	}
	tasks, _ := filepath.Glob(filepath.Join(dir, "out", "*", "slurm", "*"))
	if len(tasks) < 2 {
		t.Errorf("tasks of two jobs have left %v", tasks)
	}
	c.until(t, "no job is left", func() bool { return c.run("squeue", "--noheader") == "" })
}

// TestNoSlurm checks that the command reports a missing Slurm.
func TestNoSlurm(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "s.yaml"), []byte(sharedSweep), 0o666); err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("fabricast")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "sweep", "s.yaml", "--launcher", "slurm")
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + dir}
	log, _ := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != ending.Failed ||
		!strings.Contains(string(log), "found no program sbatch, expected that of Slurm") {
		t.Errorf("exit code %d, %s", cmd.ProcessState.ExitCode(), log)
	}
}
