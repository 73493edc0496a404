// Package instructions checks that the simulator does not become slower: it counts the instructions of whole runs,
// which, unlike times, hardly depend on what else the machine does.
package instructions

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"fabricast/internal/built"
	"fabricast/internal/draws"
	"fabricast/internal/usercache"
)

// bounds are millions of instructions of the experiments in testdata. A change that needs fewer lowers its bounds to
// what was counted; none raises them.
var bounds = []struct {
	experiment string
	millions   int64
}{
	{"ring", 8102},
	{"stencil", 2241},
	{"bruck", 4495},
	{"uniform", 8727},
	{"broadcast", 46},
	{"dragonfly", 751},
	{"dragonfly-ugal", 840},
	{"fat-tree", 926},
}

// slack is by how many percent a run may exceed its bound: compilers and C libraries differ, and so do processors.
const slack = 2

// TestInstructionsDoNotGrow counts the instructions of each run.
func TestInstructionsDoNotGrow(t *testing.T) {
	if !draws.Long() {
		t.Skip("takes a quarter of an hour")
	}
	command := countable(t, built.Command(t))
	for _, b := range bounds {
		t.Run(b.experiment, func(t *testing.T) {
			n := count(t, command, filepath.Join("testdata", b.experiment+".yaml")) / 1e6
			t.Logf("%d million instructions, bound %d", n, b.millions)
			if n > b.millions*(100+slack)/100 {
				t.Errorf("%d million instructions, more than the bound of %d", n, b.millions)
			}
		})
	}
}

// count returns the number of instructions of a run with one worker. The garbage collector, which runs at times of
// its own, is off.
func count(t *testing.T, command, experiment string) int64 {
	c := exec.Command(
		"valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
		command, "run", experiment, "--workers", "1",
	)
	c.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1", usercache.Variable+"=off")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	total := regexp.MustCompile(`I +refs: +([0-9,]+)`).FindSubmatch(out)
	if total == nil {
		t.Fatalf("valgrind has not counted:\n%s", out)
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(string(total[1]), ",", ""), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// countable returns a copy of the command that valgrind can run on all machines. Go's runtime reads the clock of the
// processor by RDTSCP, which valgrind knows only on some; the copy has RDTSC and a NOP in its place.
func countable(t *testing.T, command string) string {
	program, err := os.ReadFile(command)
	if err != nil {
		t.Fatal(err)
	}
	const after = "\x48\xc1\xe2\x20" // SHL RDX, 32: so that other bytes are not mistaken for RDTSCP
	program = bytes.Replace(program, []byte("\x0f\x01\xf9"+after), []byte("\x0f\x31\x90"+after), 1)
	path := filepath.Join(t.TempDir(), "fabricast")
	if err := os.WriteFile(path, program, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}
