package recording

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"fabricast"
	"fabricast/experiment"
	"fabricast/mpi"
	"fabricast/record"
	"fabricast/topology"
)

// recorded runs an experiment and returns a table of its folder.
func recorded[Row any](
	t *testing.T,
	e fabricast.Experiment,
	table string,
	workers int,
) (*fabricast.Result, []Row) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	r, err := e.Run(t.Context(), fabricast.Record(dir), fabricast.Workers(workers))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := parquet.ReadFile[Row](filepath.Join(dir, table))
	if err != nil {
		t.Fatal(err)
	}
	return r, rows
}

// TestWaitsDivided demands the parts of a wait of which all is known: rank 1 waits for
// one message, which rank 0 sends after a while.
func TestWaitsDivided(t *testing.T) {
	e := fabricast.Experiment{
		Network: experiment.Network{
			Topology: topology.TorusSpec{Dims: []int{4, 4}},
			HostLink: experiment.Link{Bandwidth: 1e9, Latency: 100_000},
		},
		Ranks: 2,
		Program: func(rank *mpi.Rank) {
			if rank.Rank() == 0 {
				rank.Compute(5_000_000)
				rank.Send(mpi.Size(1000), 1, 0)
			} else {
				rank.Recv(mpi.Size(1000), 0, 0)
			}
		},
	}
	_, ranks := recorded[record.Rank](t, e, record.RanksTable, 1)
	sent := ranks[0].Compute + ranks[0].Overhead
	r := ranks[1]
	if r.NetworkWaits != 1 || r.Wait-r.Network != sent {
		t.Errorf(
			"%d waits, %d ps of %d for a message under way; it was sent at %d",
			r.NetworkWaits, r.Network, r.Wait, sent,
		)
	}
	// 5 packets of at most 256 B with headers of 0 B, at 1 GB/s.
	if r.Serialization < 1_000_000 || r.Serialization > 1_100_000 {
		t.Errorf("serialization %d ps, want a little more than 1 us", r.Serialization)
	}
}

// TestLatenciesAddUp demands that all messages are in the tables by size and by distance, and that
// these and the parts of waits do not depend on the workers.
func TestLatenciesAddUp(t *testing.T) {
	f := func(e fabricast.Experiment) {
		t.Helper()
		result, one := recorded[record.Latency](t, e, record.LatencyTable, 1)
		counts := map[string]int64{}
		for _, row := range one {
			counts[row.By] += row.Count
			if !slices.IsSorted(
				[]int64{row.Min, row.P5, row.P25, row.P50, row.P75, row.P95, row.P99, row.Max},
			) {
				t.Errorf("percentiles out of order: %+v", row)
			}
		}
		if counts[record.BySize] != result.Messages || counts[record.ByDistance] != result.Messages {
			t.Errorf("%v in the tables, want %d", counts, result.Messages)
		}
		if _, two := recorded[record.Latency](t, e, record.LatencyTable, 2); !slices.Equal(one, two) {
			t.Error("two workers count other latencies than one")
		}
		_, ranks := recorded[record.Rank](t, e, record.RanksTable, 1)
		for _, r := range ranks {
			if r.Serialization < 0 || r.Serialization > r.Network || r.Network > r.Wait {
				t.Errorf("parts of a wait: %+v", r)
			}
		}
		if _, two := recorded[record.Rank](t, e, record.RanksTable, 2); !slices.Equal(ranks, two) {
			t.Error("two workers divide waits otherwise than one")
		}
	}
	torus := experiment.Network{Topology: topology.TorusSpec{Dims: []int{4, 4}}}
	f(
		fabricast.Experiment{
			Network:  torus,
			Workload: experiment.Workload{Program: "alltoall", Algorithm: "bruck", Size: 700},
		},
	)
	f(fabricast.Experiment{
		Network: torus, Workload: experiment.Workload{Program: "alltoall", Algorithm: "ring", Size: 700},
		Node: experiment.Node{Protocol: experiment.Protocol{Rendezvous: "write"}},
	})
	f(fabricast.Experiment{
		Network:  experiment.Network{Topology: topology.FatTreeSpec{Radix: 4, Levels: 3}},
		Workload: experiment.Workload{Program: "alltoall", Algorithm: "ring", Size: 700, By: "put"},
		Node:     experiment.Node{Ranks: 2},
	})
}
