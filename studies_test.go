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

// TestStudies runs studies in their quick form; all of their findings must hold. Each commit runs a third of those of
// each folder, at least one, others than the commit before; long tests run all.
func TestStudies(t *testing.T) {
	folders, err := filepath.Glob("studies/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("%d folders of studies, %v", len(folders), err)
	}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for i, file := range files {
			if producttest.Turn(t, i, min(3, len(files))) {
				t.Run(filepath.Base(file), func(t *testing.T) { runStudy(t, file) })
			}
		}
	}
}

// runStudy runs a study in its quick form.
func runStudy(t *testing.T, file string) {
	if slices.Contains(replaying, filepath.Base(filepath.Dir(file))) {
		studyBuilt(t, file)
		return
	}
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
}
