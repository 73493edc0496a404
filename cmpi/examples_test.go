//go:build cgo && linux && amd64

package cmpi_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"fabricast"
	"fabricast/internal/draws"
	"fabricast/internal/needed"
	"fabricast/internal/producttest"
)

// exampleResults are what the commands of README.md for examples/c print, but for times, and what
// is predicted. A change here is a change of predictions: it is made on purpose and told in the
// changelog.
var exampleResults = map[string]struct {
	prints string
	time   fabricast.Time
	hash   string
}{
	"examples/quickstart.yaml -n 64 -- examples/c/halo3d/halo3d 16 20": {
		"64 x 64 x 64 cells, 20 steps: right",
		102_209_200,
		"69799894edbe3bcff7f61f4dddf580bd",
	},
	"examples/quickstart.yaml -n 64 -- examples/c/samplesort/samplesort 10000": {
		"640000 keys, at most 12282 on one rank: in order",
		203_315_600,
		"7a3d060884aa6683369205f8754947af",
	},
	"examples/fat-tree.yaml -n 64 -- examples/c/cg/cg 32": {
		"256 x 256 cells, 526 steps: right",
		7_649_209_920,
		"9a07e12a62785f1b42de17297d01ff5d",
	},
}

var (
	exampleCommand = regexp.MustCompile(
		`(?m)^    bin/fabricast run ((\S+) -n (\d+) -- (examples/c/\S+)((?: \d+)*))$`,
	)
	exampleMake = regexp.MustCompile(
		`(?m)^    make -C examples/c CC=\$PWD/bin/mpicc CXX=\$PWD/bin/mpicxx FC=\$PWD/bin/mpifort\b`,
	)
)

// TestExamples builds the examples in C, C++ and Fortran by their makefiles and runs the commands
// of README.md, each with one worker or with two.
func TestExamples(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := exampleCommand.FindAllStringSubmatch(string(readme), -1)
	if len(commands) != len(exampleResults) || !exampleMake.Match(readme) {
		t.Fatalf(
			"README.md: found %d commands for examples/c, expected %d and the make command",
			len(commands), len(exampleResults),
		)
	}
	built := buildExamples(t)
	for i, c := range commands {
		want, known := exampleResults[c[1]]
		if !known {
			t.Errorf("README.md: found %q, which has no golden result", c[1])
			continue
		}
		ranks, _ := strconv.Atoi(c[3])
		for workers := 1; workers <= 2; workers++ {
			if !producttest.Turn(t, i+workers, 2) {
				continue
			}
			e, err := fabricast.LoadMachine(filepath.Join("..", c[2]))
			if err != nil {
				t.Fatal(err)
			}
			e.Ranks = ranks
			lines, result, err := run(
				t,
				e,
				filepath.Join(built, strings.TrimPrefix(c[4], "examples/c/")),
				workers,
				strings.Fields(c[5])...)
			if err != nil {
				t.Errorf("%s: %v", c[1], err)
				continue
			}
			if prints := withoutTimes(lines); prints != want.prints || result.SimulatedTime != want.time ||
				result.Hash != want.hash {
				t.Errorf(
					"%s with %d workers: found %q, %d ps and %s, expected %q, %d ps and %s",
					c[1], workers, prints, result.SimulatedTime, result.Hash, want.prints,
					want.time, want.hash,
				)
			}
		}
	}
}

// TestExamplesOfMPICH compares the examples with what MPICH 4.0.2 has printed. Long tests compare that with MPICH again,
// whose ranks wait busily.
func TestExamplesOfMPICH(t *testing.T) {
	ours, theirs := buildExamples(t), ""
	if draws.Long() {
		if _, err := exec.LookPath("mpicc.mpich"); err != nil {
			needed.Missing(t, "found no MPICH (Debian: apt-get install mpich)")
		}
		theirs = filepath.Join(t.TempDir(), "c")
		buildExamplesIn(t, theirs, "mpicc.mpich", "mpicxx.mpich", "mpifort.mpich")
	}
	for _, x := range []struct {
		ranks         int
		command, want string
	}{
		{1, "halo3d/halo3d 5 7", "5 x 5 x 5 cells, 7 steps: right"},
		{6, "halo3d/halo3d 5 7", "15 x 10 x 5 cells, 7 steps: right"},
		{1, "samplesort/samplesort 300", "300 keys, at most 300 on one rank: in order"},
		{6, "samplesort/samplesort 300", "1800 keys, at most 383 on one rank: in order"},
		{10, "gpcnet/gpcnet 2 64 4", "2 victims, 8 congestors in 2 groups"},
		{1, "cg/cg 6", "6 x 6 cells, 6 steps: right"},
		{6, "cg/cg 6", "18 x 12 cells, 38 steps: right"},
	} {
		words := strings.Fields(x.command)
		lines, _, err := run(t, torus(x.ranks), filepath.Join(ours, words[0]), 1, words[1:]...)
		if found := withoutTimes(lines); err != nil || found != x.want {
			t.Errorf("%s on %d ranks: found %q and error %v, expected %q", x.command, x.ranks, found, err, x.want)
		}
		if theirs == "" {
			continue
		}
		arguments := append([]string{"-n", strconv.Itoa(x.ranks), filepath.Join(theirs, words[0])}, words[1:]...)
		text, err := exec.Command("mpirun.mpich", arguments...).Output()
		if err != nil {
			t.Fatal(err)
		}
		if found := withoutTimes(strings.Split(strings.TrimSpace(string(text)), "\n")); found != x.want {
			t.Errorf("%s on %d ranks: MPICH prints %q, expected %q", x.command, x.ranks, found, x.want)
		}
	}
}

func withoutTimes(lines []string) string {
	var kept []string
	for _, line := range lines {
		if !strings.HasPrefix(line, "time ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// buildExamples makes a copy of examples/c with the wrappers, once, and returns where.
func buildExamples(t *testing.T) string {
	t.Helper()
	dir, err := bin()
	if err != nil {
		t.Fatal(err)
	}
	built := filepath.Join(dir, "examples")
	if _, err := os.Stat(built); err == nil {
		return built
	}
	buildExamplesIn(
		t, built, filepath.Join(dir, "mpicc"), filepath.Join(dir, "mpicxx"), filepath.Join(dir, "mpifort"),
	)
	return built
}

func buildExamplesIn(t *testing.T, built, cc, cxx, fc string) {
	t.Helper()
	if err := os.CopyFS(built, os.DirFS("../examples/c")); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"clean", "all"} {
		if out, err := exec.Command("make", "-C", built, target, "CC="+cc, "CXX="+cxx, "FC="+fc).CombinedOutput(); err != nil {
			t.Fatalf("make: %v\n%s", err, out)
		}
	}
}
