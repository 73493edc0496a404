package cli

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"fabricast/internal/cli/ending"
)

// update rewrites the expected outputs in the scripts; the changes must be reviewed.
var update = flag.Bool("update", false, "rewrite the expected outputs in the scripts")

func TestMain(m *testing.M) {
	testscript.Main(heeding{m}, map[string]func(){"fabricast": byOneCore})
}

// byOneCore is the command. Without --workers it uses one core: workers of several runs at once, which
// meet at every window, would delay each other. Processes of a launcher share the cores already.
func byOneCore() {
	launched := os.Getenv("PMI_RANK") != "" || os.Getenv("OMPI_COMM_WORLD_RANK") != ""
	if !launched && !slices.Contains(os.Args, "--workers") {
		runtime.GOMAXPROCS(1)
	}
	os.Exit(Main())
}

// heeding runs tests that send signals to commands. A command inherits ignored signals, such as
// those that the tests themselves ignore in the background of a script.
type heeding struct{ tests *testing.M }

func (h heeding) Run() int {
	for _, s := range every {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s) // restores the default action in commands
		}
	}
	code := h.tests.Run()
	if wrappersFolder != "" {
		_ = os.RemoveAll(wrappersFolder)
	}
	return code
}

// TestScripts drives the real command through testdata/script.
func TestScripts(t *testing.T) {
	t.Parallel() // with tests that mostly wait for Slurm
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	traces, err := filepath.Abs("../../trace/testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("EXAMPLES", examples)
			e.Setenv("TRACES", traces)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"damage":     damage,
			"exits":      exits,
			"interrupts": interrupts,
			"sameresult": sameResult,
			"wrappers":   linkWrappers,
		},
	})
}

// exits is the script command "exits CODE command args...": the command must
// end with that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE command args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// damage is the script command "damage PATTERN": it changes a digit in the first matching file.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage PATTERN")
	}
	files, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(files) == 0 {
		ts.Fatalf("no file %s", args[0])
	}
	text, err := os.ReadFile(files[0])
	ts.Check(err)
	at := strings.LastIndexAny(string(text), "0123456789")
	text[at] = '0' + (text[at]-'0'+1)%10
	ts.Check(os.WriteFile(files[0], text, 0o666))
}

// linkWrappers is the script command "wrappers FOLDER": it links the folder to the compilers for C
// programs.
func linkWrappers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: wrappers FOLDER")
	}
	folder, err := wrappers()
	ts.Check(err)
	ts.Check(os.Symlink(folder, ts.MkAbs(args[0])))
}

// sameResult is the script command "sameresult FILE command args...": the command, with --json,
// must succeed with the result hash stored in the file.
func sameResult(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: sameresult FILE command args...")
	}
	hash := regexp.MustCompile(`"result_hash": "[0-9a-f]+"`)
	want := hash.FindString(ts.ReadFile(args[0]))
	ts.Check(ts.Exec(args[1], append(args[2:], "--json")...))
	if got := hash.FindString(ts.ReadFile("stdout")); want == "" || got != want {
		ts.Fatalf("%s, want %s", got, want)
	}
}

// interrupts is the script command "interrupts FILE MESSAGE command args...": it interrupts the
// command as a user would once FILE exists. The command must then print MESSAGE.
func interrupts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: interrupts FILE MESSAGE command args...")
	}
	cmd := exec.Command(args[2], args[3:]...)
	cmd.Dir = ts.Getenv("WORK")
	var log strings.Builder
	cmd.Stderr = &log
	ts.Check(cmd.Start())
	for pattern := ts.MkAbs(args[0]); ; time.Sleep(10 * time.Millisecond) {
		if found, err := filepath.Glob(pattern); err != nil || len(found) > 0 {
			break
		}
	}
	ts.Check(cmd.Process.Signal(os.Interrupt))
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != ending.Interrupted {
		ts.Fatalf("the interrupted command ended with %v, want exit code %d", err, ending.Interrupted)
	}
	ts.Logf("[stderr]\n%s", log.String())
	if !regexp.MustCompile(args[1]).MatchString(log.String()) {
		ts.Fatalf("the message does not match %q", args[1])
	}
}
