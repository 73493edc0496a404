package export_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/export"
	"fabricast/record"
	"fabricast/topology"
)

// TestPerfettoHasTheCriticalPath finds the arrows of the critical path in the trace of a run with causes.
func TestPerfettoHasTheCriticalPath(t *testing.T) {
	e := fabricast.Experiment{
		Network:  experiment.Network{Topology: topology.TorusSpec{Dims: []int{4}}},
		Workload: experiment.Workload{Program: "ring", Size: 1000},
	}
	e.Record.Set("causes")
	e.Record.Set("timeline")
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := e.Run(t.Context(), fabricast.Record(dir)); err != nil {
		t.Fatal(err)
	}
	r, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := export.Find("perfetto")
	var b bytes.Buffer
	if err := f.Write(r, &b); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(b.Bytes(), []byte("critical path")); n < 8 {
		t.Errorf("the trace names the critical path %d times", n)
	}
}
