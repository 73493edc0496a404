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

// networks lists networks in which the links of every kind of row may have one or several
// bandwidths.
var networks = []topology.Spec{
	topology.TorusSpec{Dims: []int{4, 3, 2}},
	topology.MeshSpec{Dims: []int{5, 3}},
	topology.HyperXSpec{Dims: []int{3, 3}},
	topology.FatTreeSpec{Radix: 4, Levels: 3},
	topology.DragonflySpec{P: 2, A: 2, H: 1},
}

// bandwidthClasses lists, for each network, link classes whose bandwidths can be set.
var bandwidthClasses = map[string][]string{
	"torus": {"x", "y", "z", "host"}, "mesh": {"x", "y", "host"}, "hyperx": {"x", "y", "host"},
	"fat-tree": {"level1", "level2", "host"}, "dragonfly": {"local", "global", "host"},
}

// mixed draws an experiment on a network whose links have one or several bandwidths.
func mixed(t *rapid.T) *fabricast.Experiment {
	top := rapid.SampledFrom(networks).Draw(t, "network")
	e := &fabricast.Experiment{
		Network:  experiment.Network{Topology: top},
		Workload: experiment.Workload{Program: "alltoall", Algorithm: "ring", Size: 3000},
	}
	for _, class := range bandwidthClasses[topology.KindOf(top).Name] {
		if rapid.Bool().Draw(t, class) {
			if e.Network.Links == nil {
				e.Network.Links = map[string]experiment.Link{}
			}
			e.Network.Links[class] = experiment.Link{
				Bandwidth: rapid.SampledFrom([]fabricast.Rate{4e9, 8e9, 12.5e9}).Draw(t, "bandwidth"),
			}
		}
	}
	e.Record.Bins.Interval = "5us"
	return e
}

// TestThroughput checks on random networks that the utilization and throughput matrices agree with
// the table of bins, for every kind of row.
func TestThroughput(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := filepath.Join(t.TempDir(), "run")
		if _, err := mixed(rt).Run(t.Context(), fabricast.Record(dir)); err != nil {
			rt.Fatal(err)
		}
		r := mustMake(t, dir)
		run := r.Manifest.Runs[0]
		links, err := parquet.ReadFile[record.Link](filepath.Join(dir, record.LinksTable))
		if err != nil {
			rt.Fatal(err)
		}
		bytes := bytesByColumn(t, dir, run, len(links))
		for _, kind := range []string{"link", "router", "dimension", "level"} {
			rows := rowsOf(kind, links)
			for _, stat := range []string{"utilization", "throughput"} {
				value := func(link, col int) float64 {
					rate := bytes[link*run.Bins.Count+col] / run.Bins.width(col) * 1e12
					if stat == "throughput" {
						return rate
					}
					return rate / float64(links[link].Capacity)
				}
				holdMatrix(t, r, kind, stat, rows, value)
			}
		}
	})
}

// bytesByColumn returns the bytes of each link in each column.
func bytesByColumn(t *testing.T, dir string, run *Run, links int) []float64 {
	t.Helper()
	rows, err := parquet.ReadFile[record.LinkBin](filepath.Join(dir, record.LinkBinsTable))
	if err != nil {
		t.Fatal(err)
	}
	bytes := make([]float64, links*run.Bins.Count)
	for _, x := range rows {
		bytes[int(x.Link)*run.Bins.Count+int(x.Begin/run.Bins.Interval)] += float64(x.Bytes)
	}
	return bytes
}

// rowsOf returns the links of each row. kind is the kind of row.
func rowsOf(kind string, links []record.Link) map[int][]int {
	rows := map[int][]int{}
	for i, l := range links {
		between := l.Kind == record.Between
		switch {
		case kind == "link":
			rows[i] = []int{i}
		case kind == "router" && between:
			rows[int(l.Router)] = append(rows[int(l.Router)], i)
		case kind == "dimension" && between && l.Dimension >= 0:
			rows[int(l.Dimension)] = append(rows[int(l.Dimension)], i)
		case kind == "level" && l.Level >= 0:
			rows[int(l.Level)] = append(rows[int(l.Level)], i)
		}
	}
	return rows
}

// holdMatrix compares the matrices of a statistic with the mean and the maximum over the links of
// each row.
func holdMatrix(
	t *testing.T,
	r *Report,
	kind, stat string,
	rows map[int][]int,
	value func(link, col int) float64,
) {
	t.Helper()
	hows := []string{"mean", "max"}
	if kind == "link" {
		hows = []string{"value"}
	}
	for _, how := range hows {
		key := kind + "_" + stat
		if how != "value" {
			key += "_" + how
		}
		m := r.Manifest.Runs[0].Matrices[key]
		if m == nil {
			if len(rows) > 0 {
				t.Fatalf("no matrix %s", key)
			}
			continue
		}
		got := array(t, r, m.Blob, m.Type)
		for row, links := range rows {
			for col := range m.Cols {
				sum, most := 0.0, 0.0
				for _, l := range links {
					sum += value(l, col)
					most = max(most, value(l, col))
				}
				want := sum / float64(len(links))
				if how == "max" {
					want = most
				}
				if v := got[row*m.Cols+col] * m.Scale; math.Abs(v-want) > 1e-4*want {
					t.Fatalf("%s, row %d, column %d: %g, want %g", key, row, col, v, want)
				}
			}
		}
		if m.Limit > 0 && (stat == "utilization") != (m.Limit == 1) {
			t.Errorf("%s: a limit of %g", key, m.Limit)
		}
	}
}
