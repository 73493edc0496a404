package fabricast_test

import (
	"context"
	"path/filepath"
	"testing"

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
