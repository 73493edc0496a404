package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fabricast/internal/cli/ending"
)

// senseless lists values that no numeric flag accepts.
var senseless = []string{
	"NaN", "nan", "inf", "+Inf", "-inf", "-1", "-0.5", "1e400", "99999999999999999999", "", " ", "0x", "1,,2", "seven",
}

// command executes a command and returns its output, its log and its error.
func command(ctx context.Context, args ...string) (out, log string, err error) {
	var o, l bytes.Buffer
	root := New(&o, &l)
	root.SetArgs(args)
	err = root.ExecuteContext(ctx)
	return o.String(), l.String(), err
}

// commandsOf returns a command and all of its subcommands.
func commandsOf(cmd *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		list = append(list, commandsOf(c)...)
	}
	return list
}

// numeric reports whether the value of a flag is a number or a list of numbers.
func numeric(flag *pflag.Flag) bool {
	kind := flag.Value.Type()
	return slices.ContainsFunc([]string{"int", "float", "share", "duration"}, func(part string) bool {
		return strings.Contains(kind, part)
	})
}

// TestSenselessNumbers passes invalid and meaningless numbers to every numeric flag of every
// command. Each must be refused with the flag's name, before the command does anything else. New
// flags are covered automatically.
func TestSenselessNumbers(t *testing.T) {
	tried := 0
	for _, cmd := range commandsOf(New(&bytes.Buffer{}, &bytes.Buffer{})) {
		words := strings.Fields(cmd.CommandPath())[1:]
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if !numeric(flag) {
				return
			}
			for _, value := range senseless {
				tried++
				args := append(slices.Clone(words), "--"+flag.Name+"="+value)
				_, _, err := command(t.Context(), args...)
				if ending.Code(err) != ending.Usage || !strings.Contains(err.Error(), "--"+flag.Name) ||
					!strings.Contains(err.Error(), "expected") {
					t.Errorf("%v: error %v, want one of the flag", args, err)
				}
			}
		})
	}
	if tried < 300 {
		t.Errorf("%d values were tried", tried)
	}
}

// smallest is a minimal experiment for tests of flags.
const smallest = "network: {topology: {dims: [2, 2]}}\nworkload: {program: barrier}\n"

// TestSenselessTexts is like TestSenselessNumbers for numbers with units, which flags hold as text.
func TestSenselessTexts(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "small.yaml")
	if err := os.WriteFile(file, []byte(smallest), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	const actions = "../../trace/testdata/ti/actions_waitall.txt"
	for _, args := range [][]string{
		{"check", file, "--memory"},
		{"run", file, "--out", out, "--checkpoint"},
		{"run", file, "--compute-factor"},
		{"run", file, "-n", "2", "--stack"},
		{"run", file, "--trace", actions, "--scale-compute"},
		{"run", file, "--set"},
		{"resume", out, "--checkpoint"},
		{"rewind", out, "--out", out, "--to"},
		{"rewind", out, "--out", out, "--to", "1us", "--for"},
		{"trace", "cut", actions, filepath.Join(dir, "x.fbt"), "--from"},
		{"trace", "cut", actions, filepath.Join(dir, "x.fbt"), "--to"},
	} {
		last := args[len(args)-1]
		for _, value := range senseless {
			given := value
			switch last {
			case "--set":
				given = "network.link.latency=" + value
			case "--scale-compute":
				given = "1=" + value
			}
			args := append(slices.Clone(args[:len(args)-1]), last+"="+given)
			if last == "--stack" {
				args = append(args, "--", "/bin/true")
			}
			_, _, err := command(t.Context(), args...)
			if ending.Code(err) != ending.Usage {
				t.Errorf("%v: error %v, want one of usage", args, err)
			}
		}
	}
	if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was run: %v", err)
	}
}

// TestWithoutTrace checks that flags that control the replay of a trace are refused without a
// trace.
func TestWithoutTrace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "small.yaml")
	if err := os.WriteFile(file, []byte(smallest), 0o666); err != nil {
		t.Fatal(err)
	}
	values := map[string]string{"partial": "", "task-sets": "", "scale-compute": "=1=2", "scale-messages": "=2", "operations": "=1e9"}
	for name, value := range values {
		_, _, err := command(t.Context(), "run", file, "--"+name+value)
		if ending.Code(err) != ending.Usage || !strings.Contains(err.Error(), "found --"+name+" without --trace") {
			t.Errorf("--%s: %v", name, err)
		}
	}
	for given, want := range map[string]string{
		"name=a,name=b,program=barrier,ranks=2":                 "expected name once",
		"program=barrier,ranks=2,ranks=3":                       "expected ranks once",
		"program=alltoall,size=1KiB,workload.size=2KiB,ranks=2": "expected workload.size once",
	} {
		if _, _, err := command(t.Context(), "run", file, "--job", given); ending.Code(err) != ending.Usage ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("--job %s: %v", given, err)
		}
	}
}

// TestNoSuchRegion checks that regions and ranks that the trace does not contain are refused.
func TestNoSuchRegion(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "small.yaml")
	if err := os.WriteFile(file, []byte("network: {topology: {dims: [6, 6]}}\nworkload: {program: barrier}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const (
		records = "../../trace/testdata/otf2/stencil4d-32"
		tasks   = "../../trace/testdata/goal/binary_tree_32.goal"
	)
	for want, args := range map[string][]string{
		"found region TRACER_Lop, expected one of":                  {"run", file, "--trace", records, "--scale-compute", "TRACER_Lop=2"},
		"(did you mean TRACER_Loop?)":                               {"trace", "cut", records, filepath.Join(dir, "x.fbt"), "--region", "TRACER_Lop"},
		"found region solve, expected none: the trace (GOAL)":       {"run", file, "--trace", tasks, "--scale-compute", "solve=2"},
		"computation of rank 32, expected ranks from 0 to 31":       {"run", file, "--trace", records, "--scale-compute", "32=2"},
		"of rank -1, expected ranks from 0 to 31":                   {"run", file, "--trace", tasks, "--scale-compute", "-1=2"},
		"jobs[0].trace.scale_compute: found solve, expected one of": {"run", file, "--job", "trace.file=" + records + ",trace.scale_compute={solve: 2}"},
	} {
		_, _, err := command(t.Context(), args...)
		if ending.Code(err) != ending.Usage || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %s", args, err, want)
		}
	}
	if _, _, err := command(
		t.Context(), "run", file, "--trace", records, "--scale-compute", "TRACER_Loop=2", "--scale-compute", "31=0.5",
	); err != nil {
		t.Error(err)
	}
}

// TestSaysWhatToWrite checks that a C program, a trace or an empty list of jobs in the wrong place
// is refused with a message that shows the right place.
func TestSaysWhatToWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "small.yaml")
	for text, want := range map[string]string{
		"command: [./prog]":               "2:1: command: found unknown field \"command\", expected workload: {command: ./prog}, or a job: jobs: [{command: [./prog]",
		"workload: {command: [./prog]}":   "workload.command: found a list, expected a single value",
		"trace: x.otf2":                   "expected a job: jobs: [{trace: PATH}], or no trace: fabricast run FILE.yaml --trace PATH",
		"jobs: []":                        "jobs: found no job, expected at least one, such as [{program: allreduce",
		"jobs: [{command: {}}]\nranks: 3": "ranks",
	} {
		if err := os.WriteFile(file, []byte("network: {topology: {dims: [2, 2]}}\n"+text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		_, _, err := command(t.Context(), "check", file)
		if ending.Code(err) != ending.Usage || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "ranks beside jobs") && !strings.Contains(text, "ranks") {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}
