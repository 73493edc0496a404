package cli

import (
	"encoding/json"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"fabricast"
)

// TestCheckTellsWhatPays checks that fabricast check --processes prints the same speed-ups as text
// and as JSON, for all powers of two below the requested number of processes and for that number.
func TestCheckTellsWhatPays(t *testing.T) {
	const file = "../../examples/quickstart.yaml"
	out, err := exec.Command("fabricast", "check", file, "--processes", "5", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var preview struct{ Scaling fabricast.Scaling }
	if err := json.Unmarshal(out, &preview); err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for _, step := range preview.Scaling.Steps {
		sizes = append(sizes, step.Processes)
		if step.Work <= 0 || step.SpeedUp <= 0 {
			t.Errorf("%+v", step)
		}
	}
	if len(sizes) != 4 || sizes[0] != 1 || sizes[1] != 2 || sizes[2] != 4 || sizes[3] != 5 {
		t.Errorf("of %v processes, expected 1, 2, 4 and 5", sizes)
	}
	text, err := exec.Command("fabricast", "check", file, "--processes", "5").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "# processes that pay") {
			if fields := strings.Fields(line); fields[4] != strconv.Itoa(preview.Scaling.Pays) {
				t.Errorf("text says %s, JSON %d", fields[4], preview.Scaling.Pays)
			}
			return
		}
	}
	t.Errorf("no line of the processes that pay:\n%s", text)
}
