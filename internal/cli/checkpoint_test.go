package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"fabricast/internal/cli/ending"
	"fabricast/internal/draws"
)

// longRun is an experiment that runs for about a second.
type longRun struct {
	text string
	args []string // arguments after the experiment
	// experiment whose run records the trace to replay; "": none
	recorded string
	tasks    string // trace of tasks, in the format GOAL, to replay; "": none
}

// drawLong draws a long run of any kind that supports checkpoints. Its files are in folder dir.
func drawLong(d *rand.Rand, dir string) longRun {
	one := func(words ...string) string { return words[d.IntN(len(words))] }
	what := one("workload", "workload", "traffic", "jobs", "jobs", "paced", "trace", "tasks")
	load := one(
		"{program: alltoall, algorithm: bruck, size: 8KiB, iterations: 3}",
		"{program: alltoall, algorithm: ring, size: 16KiB, iterations: 2}",
		"{program: allreduce, size: 2MiB, iterations: 2}",
		"{program: allgather, size: 32KiB, iterations: 2}",
		"{program: uniform, size: 1KiB, messages: 4000}",
	)
	node := ", copies: " + one("zero", "one") + one(
		"", "", ", protocol: {eager: 1KiB, rendezvous: read}", ", protocol: {eager: 1KiB, rendezvous: write}",
		", work: {combine: 8GB/s}",
	)
	if what == "traffic" {
		node, load = "", one(
			"{load: 40%, size: 1KiB, measure: {precision: 0.2%, longest: 500us}}",
			"{window: 2, size: 100B, reply: 4KiB, measure: {precision: 0.2%, longest: 500us}}",
		)
	}
	tail := what + ": " + load + "\n"
	switch what {
	case "jobs":
		tail = fmt.Sprintf("jobs:\n - {name: a, ranks: 40, workload: %s}\n", load) + one(
			" - {name: b, ranks: 20, traffic: {load: 20%, size: 1KiB}}\n",
			" - {name: b, ranks: 20, start: 30us, traffic: {load: 20%, size: 1KiB, pattern: uniform}, duration: 200us}\n",
			" - {name: b, ranks: 16, workload: {program: alltoall, algorithm: pairwise, size: 16KiB, iterations: 4}}\n",
		)
	case "paced":
		tail = "workload: {program: alltoall, algorithm: " + one("ring", "bruck") +
			", size: 16KiB, iterations: 2}\ncollectives: {alltoall: {pacing: mod}}\n"
	case "trace", "tasks":
		tail = ""
	}
	machine := fmt.Sprintf(
		"seed: %d\nnetwork: %s\nnode: {nics: %s%s}\n",
		d.IntN(1000),
		one(
			"{topology: {kind: torus, dims: [4, 4, 4]}}",
			"{topology: {kind: mesh, dims: [8, 8]}, router: {arbiter: round-robin}}",
			"{topology: {kind: fat-tree, radix: 8, levels: 3}}",
			"{topology: {kind: dragonfly, p: 2, a: 4, h: 2}, routing: {algorithm: ugal-l}}",
			"{topology: {kind: torus, dims: [8, 8]}, routing: {algorithm: adaptive}, router: {vcs: 3, queues: voq}}",
			"{topology: {kind: torus, dims: [8, 8]}, routing: {algorithm: valiant}, router: {vcs: 8}}",
		),
		one("1", "1", "2"), node,
	)
	machine += drawRecording(d, what == "traffic")
	switch what {
	case "tasks":
		return longRun{text: machine, args: []string{"--trace", "tasks.goal"}, tasks: drawGOAL(d, 64, 300)}
	case "trace":
	default:
		return longRun{text: machine + tail}
	}
	return longRun{
		text: machine, args: []string{"--trace", filepath.Join(dir, "recorded", "trace.fbt")},
		recorded: "network: {topology: {dims: [4, 4, 4]}}\nworkload: " + load + "\n",
	}
}

// drawGOAL draws a trace of tasks. In each round a rank computes, sends to a rank at a random
// distance, and receives from the rank that sends to it. Some tasks depend on earlier rounds.
func drawGOAL(d *rand.Rand, ranks, rounds int) string {
	text := []byte(fmt.Sprintf("num_ranks %d\n", ranks))
	seed := d.Uint64()
	for rank := range ranks {
		same, own := rand.New(rand.NewPCG(seed, 0)), rand.New(rand.NewPCG(seed, uint64(rank)+1))
		text = fmt.Appendf(text, "rank %d {\n", rank)
		for i := range rounds {
			away, size := 1+same.IntN(ranks-1), 1+same.IntN(1<<same.IntN(15))
			text = fmt.Appendf(text, "c%d: calc %d\n", i, own.IntN(3000))
			text = fmt.Appendf(text, "s%d: send %db to %d tag %d\n", i, size, (rank+away)%ranks, i)
			text = fmt.Appendf(text, "r%d: recv %db from %d tag %d\n", i, size, (rank+ranks-away)%ranks, i)
			text = fmt.Appendf(text, "s%d requires c%d\n", i, i)
			if i > 0 {
				text = fmt.Appendf(text, "c%d requires r%d\n", i, i-1-own.IntN(min(i, 3)))
			}
		}
		text = append(text, "}\n"...)
	}
	return string(text)
}

// drawRecording draws the record section of an experiment. Traffic has no timeline.
func drawRecording(d *rand.Rand, traffic bool) string {
	var list []string
	for _, some := range []string{
		"bins: {interval: " + []string{"auto", "1us", "7us"}[d.IntN(3)] + "}",
		"buffers: {routers: [3, 8], to: 60us}", "messages: true", "timeline: true", "causes: path",
	} {
		if traffic && some == "timeline: true" {
			continue
		}
		if d.IntN(3) == 0 {
			list = append(list, some)
		}
	}
	if len(list) == 0 || d.IntN(3) == 0 {
		return ""
	}
	text := strings.Join(list, ", ")
	if d.IntN(2) == 0 {
		text = strings.Replace(text, "interval:", "buffers: true, interval:", 1)
	}
	return "record: {" + text + "}\n"
}

// ofMachine matches the part of a result that depends on the machine and the engine.
var ofMachine = regexp.MustCompile(`(?s)"workers":.*`)

// tablesOf returns the result and the tables of a folder, by name.
func tablesOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name()] = ofMachine.ReplaceAllString(string(text), "")
	}
	return all
}

// TestKilledRuns kills runs at random moments after their first checkpoints, and resumes them with
// other numbers of workers, until they end. Their folders must be those of uninterrupted runs.
func TestKilledRuns(t *testing.T) {
	kills := 0
	for seed := range draws.Seeds(1, 80) {
		d := rand.New(rand.NewPCG(seed, 9))
		dir := t.TempDir()
		drawn := drawLong(d, dir)
		text := drawn.text
		for name, text := range map[string]string{
			"e.yaml": text, "recorded.yaml": drawn.recorded, "tasks.goal": drawn.tasks,
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		run := func(args ...string) *exec.Cmd {
			cmd := exec.Command("fabricast", args...)
			cmd.Dir = dir
			cmd.Stderr = new(bytes.Buffer)
			return cmd
		}
		if drawn.recorded != "" {
			recorded := run("run", "recorded.yaml", "--out", "recorded", "--record", "trace")
			if err := recorded.Run(); err != nil {
				t.Fatalf("%v\n%s\n%s", err, recorded.Stderr, drawn.recorded)
			}
		}
		whole := run(append([]string{"run", "e.yaml", "--out", "whole"}, drawn.args...)...)
		if err := whole.Run(); err != nil {
			t.Fatalf("%v\n%s\n%s", err, whole.Stderr, text)
		}
		workers := func() string { return strconv.Itoa(1 + d.IntN(4)) }
		cmd := run(append([]string{
			"run", "e.yaml", "--out", "killed", "--checkpoint", "0.1s", "--workers", workers(),
		}, drawn.args...)...)
		for cut := 0; cut < 4; cut++ {
			killed := killLater(t, cmd, dir, time.Duration(d.IntN(200))*time.Millisecond)
			if !killed {
				break
			}
			kills++
			cmd = run("resume", "killed", "--workers", workers())
		}
		if cmd.Process == nil { // not started since the last kill, so this run goes on to its end
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v: %v\n%s", cmd.Args, err, cmd.Stderr)
			}
		}
		sameFolders(t, dir, text)
		t.Logf("seed %d: the same", seed)
	}
	t.Logf("%d kills", kills)
}

// sameFolders compares the folder of a killed run with that of an uninterrupted run.
func sameFolders(t *testing.T, dir, text string) {
	t.Helper()
	want, got := tablesOf(t, filepath.Join(dir, "whole")), tablesOf(t, filepath.Join(dir, "killed"))
	for name := range want {
		if name == "experiment.yaml" { // contains the folder's path
			got[name] = strings.ReplaceAll(got[name], "killed/", "whole/")
		}
		if got[name] != want[name] {
			t.Errorf("%s differs\n%s\nwant:\n%s\ngot:\n%s", name, text, want[name], got[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files, want %d\n%s", len(got), len(want), text)
	}
}

// killLater starts a command and kills it the given time after a new checkpoint exists. It returns
// false if the command ends before that, which must be without an error.
func killLater(t *testing.T, cmd *exec.Cmd, dir string, after time.Duration) (killed bool) {
	t.Helper()
	path := filepath.Join(dir, "killed", "checkpoint.fbc")
	before, _ := os.Stat(path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		now, err := os.Stat(path)
		if err == nil && (before == nil || !os.SameFile(before, now)) {
			break
		}
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v: %v\n%s", cmd.Args, err, cmd.Stderr)
			}
			return false
		case <-time.After(time.Millisecond):
		}
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, cmd.Stderr)
		}
		return false
	case <-time.After(after):
	}
	_ = cmd.Process.Kill()
	<-ended
	_, err := os.Stat(path)
	return err == nil // nil: the command ended before the kill
}

// TestFilesTooLarge limits the file size, which is like a full disk. A run with checkpoints and
// tables must end as without the limit, or name the file that it could not write.
func TestFilesTooLarge(t *testing.T) {
	d := rand.New(rand.NewPCG(34, 9))
	for _, record := range []string{"bins", "messages", "bins,messages"} {
		dir := t.TempDir()
		text := "network: {topology: {dims: [4, 4, 4]}}\nworkload: {program: uniform, size: 1KiB, messages: 150}\n"
		if err := os.WriteFile(filepath.Join(dir, "e.yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		run := func(blocks int, out string) (log string, code int) {
			cmd := exec.Command("sh", "-c", `ulimit -f "$1" && shift && exec fabricast "$@"`, "sh",
				strconv.Itoa(blocks), "run", "e.yaml", "--record", record, "--out", out, "--checkpoint", "sim:6us")
			said := new(bytes.Buffer)
			cmd.Dir, cmd.Stderr = dir, said
			_ = cmd.Run()
			return said.String(), cmd.ProcessState.ExitCode()
		}
		if log, code := run(1<<30, "whole"); code != ending.OK {
			t.Fatal(log)
		}
		for range 2 {
			_ = os.RemoveAll(filepath.Join(dir, "killed"))
			blocks := 1 << (3 + d.IntN(10))
			log, code := run(blocks, "killed")
			switch {
			case code == ending.OK:
				sameFolders(t, dir, text)
			case code != ending.Failed || !strings.Contains(log, "file too large"):
				t.Errorf("%s, files of at most %d blocks: exit code %d\n%s", record, blocks, code, log)
			}
			t.Logf("%s, %d blocks: exit code %d, %s", record, blocks, code, log)
		}
	}
}

// begun starts a long run with checkpoints in the folder "out". It returns the command and its log.
func begun(t *testing.T, dir string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	text := "network: {topology: {dims: [8, 8, 8]}}\nworkload: {program: alltoall, algorithm: bruck, size: 64KiB}\n"
	if err := os.WriteFile(filepath.Join(dir, "e.yaml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return start(t, dir, "run", "e.yaml", "--out", "out", "--checkpoint", "0.05s")
}

// start starts fabricast. It returns the command and its log.
func start(t *testing.T, dir string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd, log := exec.Command("fabricast", args...), new(bytes.Buffer)
	cmd.Dir, cmd.Stderr = dir, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, log
}

// waitForCheckpoint waits until a run has written a checkpoint other than before, if that is not
// nil.
func waitForCheckpoint(t *testing.T, cmd *exec.Cmd, path string, before os.FileInfo) {
	t.Helper()
	for {
		now, err := os.Stat(path)
		if err == nil && (before == nil || !os.SameFile(before, now)) {
			return
		}
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		if err == nil && strings.Contains(string(state), ") Z ") {
			t.Fatalf("%v has ended without a checkpoint\n%s", cmd.Args, cmd.Stderr)
		}
		time.Sleep(time.Millisecond)
	}
}

// interrupted interrupts a run in the folder "out" by signal s, and returns the path of its
// checkpoint.
func interrupted(t *testing.T, dir string, s os.Signal) string {
	t.Helper()
	cmd, log := begun(t, dir)
	path := filepath.Join(dir, "out", "checkpoint.fbc")
	waitForCheckpoint(t, cmd, path, nil)
	signalled(t, cmd, s)
	if !strings.Contains(log.String(), "fabricast resume out goes on from there") {
		t.Errorf("%v: %s", s, log)
	}
	left, err := os.ReadDir(filepath.Join(dir, "out"))
	if err != nil || len(left) != 1 {
		t.Errorf("%v leaves %v, %v", s, left, err)
	}
	return path
}

// TestSignalsLeaveCheckpoints checks that signals that interrupt a run, and those by which batch
// systems announce its end, leave a checkpoint and nothing else.
func TestSignalsLeaveCheckpoints(t *testing.T) {
	for _, s := range append(ending.Warnings(), every[:2]...) {
		interrupted(t, t.TempDir(), s)
	}
}

// TestInterruptedResume checks that a resumed run can be interrupted like any other run, and that
// no other run may write to its folder at the same time.
func TestInterruptedResume(t *testing.T) {
	dir := t.TempDir()
	path := interrupted(t, dir, os.Interrupt)
	list := append(ending.Warnings(), every[:2]...)
	for i := range min(often(2), len(list)) { // TestSignalsLeaveCheckpoints covers all of them
		s := list[(uint64(i)+draws.Round())%uint64(len(list))]
		before, _ := os.Stat(path)
		cmd, log := start(t, dir, "resume", "out", "--checkpoint", "0.05s")
		waitForCheckpoint(t, cmd, path, before)
		for _, other := range [][]string{
			{"resume", "out"},
			{"run", "e.yaml", "--out", "out", "--checkpoint", "1s", "--force"},
			{"run", "e.yaml", "--out", "out"},
		} {
			second, said := start(t, dir, other...)
			_ = second.Wait()
			if second.ProcessState.ExitCode() != ending.Usage ||
				!strings.Contains(said.String(), "found another run that leaves checkpoints there") {
				t.Fatalf("%v beside a run: %v\n%s", other, second.ProcessState, said)
			}
		}
		signalled(t, cmd, s)
		if !strings.Contains(log.String(), "fabricast resume out goes on from there") {
			t.Errorf("%v: %s", s, log)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
			t.Errorf("%v leaves %v, %v", s, left, err)
		}
	}
}

// TestDamagedCheckpoints checks that a modified or truncated checkpoint is refused.
func TestDamagedCheckpoints(t *testing.T) {
	dir := t.TempDir()
	path := interrupted(t, dir, os.Interrupt)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := rand.New(rand.NewPCG(3, draws.Round()))
	for i := range often(12) {
		damaged := bytes.Clone(whole)
		switch at := d.IntN(len(whole)); {
		case i%4 == 0:
			damaged = damaged[:at]
		case i%4 == 1:
			damaged[d.IntN(2000)] ^= 1 << d.IntN(8)
		default:
			damaged[at] ^= 1 << d.IntN(8)
		}
		if err := os.WriteFile(path, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("fabricast", "resume", "out")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != ending.Usage || !strings.Contains(string(out), "found ") {
			t.Fatalf("%v: %s", err, out)
		}
	}
}
