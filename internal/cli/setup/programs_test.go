package setup_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"fabricast/internal/cli/clitest"
	"fabricast/workload"
)

// TestExamplesOfProgramsRun runs the example of every program as `fabricast programs --json` prints it.
func TestExamplesOfProgramsRun(t *testing.T) {
	text, _, err := clitest.Command(t.Context(), "programs", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Programs []struct{ Name, Example, Recording string }
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Programs) != len(workload.Names()) {
		t.Errorf("%d programs, expected %d", len(list.Programs), len(workload.Names()))
	}
	for _, p := range list.Programs {
		dir := t.TempDir()
		file := filepath.Join(dir, p.Name+".yaml")
		for name, text := range map[string]string{file: p.Example, filepath.Join(dir, "recording.csv"): p.Recording} {
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, log, err := clitest.Command(t.Context(), "run", file, "--json"); err != nil {
			t.Errorf("%s: %v\n%s", p.Name, err, log)
		}
	}
}
