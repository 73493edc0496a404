package data

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/record"
	"fabricast/topology"
)

// TestMatricesAreTheBins checks that each matrix, summed over its columns, agrees with the table of
// bins.
func TestMatricesAreTheBins(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "torus")
	e := &fabricast.Experiment{
		Network:  experiment.Network{Topology: topology.TorusSpec{Dims: []int{4, 3, 2}}},
		Workload: experiment.Workload{Program: "alltoall", Algorithm: "ring", Size: 6000},
	}
	e.Record.Set("buffer-bins")
	e.Record.Bins.Interval = "100ns" // several of these bins are merged into one column
	if _, err := e.Run(t.Context(), fabricast.Record(dir)); err != nil {
		t.Fatal(err)
	}
	r := mustMake(t, dir)
	run := r.Manifest.Runs[0]
	if run.Bins.Count > mostBins || run.Bins.Count < mostBins/4 || !run.Bins.Chosen {
		t.Fatalf("bins %+v", run.Bins)
	}
	links, err := parquet.ReadFile[record.Link](filepath.Join(dir, record.LinksTable))
	if err != nil {
		t.Fatal(err)
	}
	m := run.Matrices["link_utilization"]
	got := array(t, r, m.Blob, m.Type)
	for i, l := range links {
		bytes := 0.0
		for col, share := range got[i*m.Cols : (i+1)*m.Cols] {
			bytes += share * m.Scale * float64(l.Capacity) * run.Bins.width(col) / 1e12
		}
		if math.Abs(bytes-float64(l.Bytes)) > 1e-4*float64(l.Bytes) {
			t.Fatalf("link %d: %g bytes in bins, want %d", i, bytes, l.Bytes)
		}
	}
	mean, most := run.Matrices["dimension_utilization_mean"], run.Matrices["dimension_utilization_max"]
	if mean == nil || most == nil || mean.Rows != 3 || len(mean.RowNames) != 3 {
		t.Fatalf("dimensions: %+v, %+v", mean, most)
	}
	largest := array(t, r, most.Blob, most.Type)
	for i, v := range array(t, r, mean.Blob, mean.Type) {
		if v > largest[i]*(1+1e-6) {
			t.Fatalf("cell %d of dimensions: mean %g, most %g", i, v, largest[i])
		}
	}
	for _, name := range []string{"router_buffer_mean_mean", "router_buffer_peak_max"} {
		if run.Matrices[name] == nil {
			t.Errorf("no matrix %s", name)
		}
	}
}

// TestQuantised checks that quantised values are off by at most half a step, and that no value
// above 0 becomes 0.
func TestQuantised(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOf(rapid.Float32Range(0, 1e6)).Draw(t, "values")
		scale, steps := quantised(values)
		for i, v := range values {
			back := float64(steps[i]) * scale
			if steps[i] == 0 && v > 0 || math.Abs(back-float64(v)) > scale*1.001 {
				t.Fatalf("%g became %g in steps of %g", v, back, scale)
			}
		}
	})
}
