package fabricast_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"fabricast/internal/built"
	"fabricast/internal/producttest"
	"fabricast/sweep"
)

// TestSweepExamples runs the quick form of every example of a sweep.
func TestSweepExamples(t *testing.T) {
	files, err := filepath.Glob("examples/sweeps/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d sweeps, %v", len(files), err)
	}
	for _, file := range files {
		s, err := sweep.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(context.Background(), sweep.Options{Quick: true, Folder: filepath.Join(t.TempDir(), "out")}); err != nil {
			t.Error(err)
		}
	}
}

// long are the folders of studies whose quick forms take most of the time of all.
var long = []string{"hinetsim", "packet-pacing"}

// replaying are the folders of studies with traces, which the command opens.
var replaying = []string{"congestion"}

// studyBuilt runs a study in its quick form by the command, which fails if a finding does not hold.
func studyBuilt(t *testing.T, file string) {
	t.Helper()
	out, err := exec.Command(
		built.Command(t), "study", file, "--quick", "--workers", "1", "--out", filepath.Join(t.TempDir(), "out"),
	).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestStudies runs studies in their quick form; all of their findings must hold. Of the long ones each commit runs
// a third, others than the one before; long tests run all.
func TestStudies(t *testing.T) {
	pattern := "studies/*/*.yaml"
	if testing.Short() { // under the race detector all would take minutes
		pattern = "studies/validation/crossbar.yaml"
	}
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%d studies, %v", len(files), err)
	}
	for i, file := range files {
		if slices.Contains(long, filepath.Base(filepath.Dir(file))) && !producttest.Turn(t, i, 3) {
			continue
		}
		if slices.Contains(replaying, filepath.Base(filepath.Dir(file))) {
			t.Run(filepath.Base(file), func(t *testing.T) { studyBuilt(t, file) })
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			study, err := sweep.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			table, err := study.Run(context.Background(), sweep.Options{Quick: true, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			verdicts, err := table.Judge()
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range verdicts {
				if !v.Holds {
					t.Errorf("%s: %v %s", v.That, v.Failing, v.Worst)
				}
			}
			if _, err := table.Pictures(); err != nil {
				t.Error(err)
			}
		})
	}
}
