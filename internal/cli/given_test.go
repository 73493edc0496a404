package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/pflag"

	"fabricast/internal/cli/ending"
	"fabricast/internal/needed"
)

// GIVEN is a placeholder for the path of the file or folder under test, and IN for the folder of
// valid files.
const givenName, inFolder = "GIVEN", "IN"

// givenTo lists commands that read a file or folder, with every argument and flag that names one.
var givenTo = []string{
	"run GIVEN", "check GIVEN", "topo GIVEN", "network info GIVEN", "network convert GIVEN out.edges", "sweep GIVEN", "study GIVEN", "saturate GIVEN", "plot GIVEN", "place GIVEN", "failures GIVEN",
	"tune GIVEN --collective barrier", "tune IN/small.yaml --collective barrier --keep=false --compare GIVEN",
	"report GIVEN", "report GIVEN --text", "compare GIVEN GIVEN", "view GIVEN", "export GIVEN", "why GIVEN", "why GIVEN --what-helps", "flows GIVEN",
	"compare GIVEN GIVEN --first-difference",
	"resume GIVEN", "rewind GIVEN --to 0s --out IN/no", "mpi-coverage GIVEN",
	"trace info GIVEN", "trace convert GIVEN IN/x.goal", "trace cut GIVEN IN/x.fbt --repeat 2",
	"run IN/small.yaml --trace GIVEN", "run IN/small.yaml -n 2 -- GIVEN",
	"run IN/small.yaml --collectives GIVEN",
	"calibrate GIVEN --network IN/small.yaml", "calibrate IN/measured.csv --network GIVEN",
	"init IN/new.yaml --network file --links GIVEN",
	"init IN/new.yaml --program recorded --recording GIVEN",
	"check IN/small.yaml --set network.topology={kind:\u00a0file,\u00a0file:\u00a0GIVEN}",
	"check IN/small.yaml --set network.routing={algorithm:\u00a0table,\u00a0file:\u00a0GIVEN}",
	"check IN/small.yaml --set network.routing={algorithm:\u00a0source,\u00a0file:\u00a0GIVEN}",
	"check IN/small.yaml --set mapping={file:\u00a0GIVEN}",
	"check IN/small.yaml --set partition={file:\u00a0GIVEN}",
	"check IN/small.yaml --set imbalance={file:\u00a0GIVEN}",
	"check IN/small.yaml --set workload={program:\u00a0recorded,\u00a0file:\u00a0GIVEN}",
	"check IN/load.yaml --set traffic.pattern={name:\u00a0permutation,\u00a0file:\u00a0GIVEN}",
	"check IN/load.yaml --set traffic.flow_sizes={file:\u00a0GIVEN}",
	"run IN/machine.yaml --job program=barrier,ranks=2,placement.file=GIVEN",
	"run IN/machine.yaml --job trace=GIVEN",
	"run IN/machine.yaml --job command=GIVEN,ranks=2",
	"run IN/machine.yaml --set workload={command:\u00a0GIVEN}",
}

// emptyIsRight lists the commands for which an empty file is valid: all routes are then those of
// the algorithm.
var emptyIsRight = []string{"algorithm:\u00a0source"}

// written lists flags of files and folders that are written, or whose existence is only checked.
var written = []string{"out", "output", "svg", "export", "html", "outcomes"}

// TestGiven passes a pipe, a folder, an empty file, and 900 MiB of zeros, text or valid lines to
// all commands that read a file. The command must return at once, with an error that names the
// file, and must not use much memory.
func TestGiven(t *testing.T) {
	in := t.TempDir()
	t.Chdir(in) // where commands leave what they make
	for name, text := range map[string]string{
		"small.yaml":   smallest,
		"machine.yaml": "network: {topology: {dims: [2, 2]}}\n",
		"load.yaml":    "network: {topology: {dims: [2, 2]}}\ntraffic: {pattern: uniform, load: 0.1}\n",
		"measured.csv": "program,size,ranks,time\nallreduce,8B,4,5us\nallreduce,64B,4,6us\nallreduce,1KiB,4,9us\n",
	} {
		if err := os.WriteFile(filepath.Join(in, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	things := map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o666) },
		"folder": func(path string) error { return os.Mkdir(path, 0o777) },
		"empty":  func(path string) error { return os.WriteFile(path, nil, 0o666) },
		"zeros":  func(path string) error { return large(path, "") },
		"words":  func(path string) error { return large(path, strings.Repeat("what is this\n", 20_000)) },
	}
	for what, make := range things {
		path := filepath.Join(t.TempDir(), "given-"+what)
		if err := make(path); err != nil {
			needed.Missing(t, err)
		}
		for _, line := range givenTo {
			args := strings.Fields(strings.ReplaceAll(line, "\u00a0", "\x00"))
			for i := range args {
				args[i] = strings.NewReplacer(givenName, path, inFolder+"/", in+"/", "\x00", " ").Replace(args[i])
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, log, err := command(t.Context(), args...)
			runtime.ReadMemStats(&after)
			if what == "empty" && slices.ContainsFunc(emptyIsRight, func(part string) bool { return strings.Contains(line, part) }) {
				continue
			}
			if err == nil || ending.Code(err) == ending.Internal || !strings.Contains(err.Error()+log, "given-"+what) {
				t.Errorf("%s: %s: error %v, want one that names the file", what, line, err)
			}
			const most = 96 << 20
			if n := after.TotalAlloc - before.TotalAlloc; n > most {
				t.Errorf("%s: %s: %d MiB taken", what, line, n>>20)
			}
		}
	}
}

// large writes a file of 900 MiB that starts with text. The rest are zeros, which need no disk
// space.
func large(path, text string) error {
	const size = 900 << 20
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Truncate(size), f.Close())
}

// TestGivenAll checks that givenTo contains every flag that names a file or folder to read, and
// every command that takes one as an argument.
func TestGivenAll(t *testing.T) {
	all := strings.Join(givenTo, "\n") + "\n"
	for _, cmd := range commandsOf(New(&bytes.Buffer{}, &bytes.Buffer{})) {
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			kind, _ := pflag.UnquoteUsage(flag)
			if kind != "file" && kind != "folder" && flag.Name != "trace" || slices.Contains(written, flag.Name) {
				return
			}
			if !strings.Contains(all, "--"+flag.Name+" GIVEN") {
				t.Errorf("%s --%s is given nothing", cmd.CommandPath(), flag.Name)
			}
		})
		words := strings.Fields(cmd.Use)
		if len(words) < 2 || !strings.Contains(cmd.Use, "FILE") && !strings.Contains(cmd.Use, "FOLDER") &&
			!strings.Contains(cmd.Use, "PATH") && !strings.Contains(cmd.Use, " IN ") {
			continue
		}
		path := strings.TrimPrefix(cmd.CommandPath(), "fabricast ")
		if path != "init" && path != "mpi-wrappers" && !strings.Contains("\n"+all, "\n"+path+" GIVEN") {
			t.Errorf("%s is given nothing", cmd.CommandPath())
		}
	}
}
