package experiments

import (
	"strings"
	"testing"

	"fabricast/topology"
)

// TestExamplesHaveDefaults: whatever an example of a topology leaves open is filled in before it is
// drawn.
func TestExamplesHaveDefaults(t *testing.T) {
	seen := 0
	for _, k := range topology.Kinds() {
		for _, example := range k.Examples {
			if strings.ContainsAny(example, "{@") {
				continue // options that are topologies or files
			}
			seen++
			spec := specOf(k, example)
			if _, err := spec.Build(2); err != nil || spec.Size().Hosts == 0 {
				t.Errorf("%s, %s: %+v, %v", k.Name, example, spec, err)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d examples", seen)
	}
}
