package completion_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"fabricast"
	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/internal/completion"
	"fabricast/internal/whatif"
	"fabricast/mpi"
	"fabricast/record"
	"fabricast/topology"
)

// TestSlowdowns: a flow alone takes what the closed form says, in a network with credits and one
// without, and each of three to one host more.
func TestSlowdowns(t *testing.T) {
	find := func(messages bool, buffers string, program func(r *mpi.Rank)) (*completion.Times, string, error) {
		dir := filepath.Join(t.TempDir(), "run")
		e := fabricast.Experiment{
			Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{4, 4}}}, Ranks: 16,
			Program: program,
		}
		e.Record.Messages, e.Network.Router.Buffers = messages, buffers
		if _, err := e.Run(t.Context(), fabricast.Record(dir)); err != nil {
			t.Fatal(err)
		}
		p, err := whatif.PlanOf(experiment.Experiment(e))
		if err != nil {
			t.Fatal(err)
		}
		folder, err := record.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		var table bytes.Buffer
		times, err := completion.Find(folder, p, &table)
		return times, table.String(), err
	}
	send := func(from, size int) func(r *mpi.Rank) {
		return func(r *mpi.Rank) {
			switch {
			case r.Rank() == 5:
				for source := range from {
					r.Recv(mpi.Size(size), source, 0)
				}
			case r.Rank() < from:
				r.Send(mpi.Size(size), 5, 0)
			}
		}
	}
	alone, table, err := find(true, "", send(1, 5000))
	if err != nil || alone.All.Flows != 1 || alone.All.Bytes != 5000 || alone.All.Slowdown.Max != 1 ||
		!strings.HasPrefix(table, "PAR1") {
		t.Fatalf("%v %+v", err, alone)
	}
	gpus, _, err := find(true, "", func(r *mpi.Rank) {
		r.Allreduce(mpi.Size(8), mpi.Size(8), collective.SumInt64, "nccl/protocol=ll")
	})
	if err != nil || gpus.All.Flows == 0 || gpus.All.Slowdown.Mean < 1 {
		t.Errorf("messages of GPUs: %v %+v", err, gpus.All)
	}
	three, _, err := find(true, "", send(3, 5000))
	if err != nil || three.All.Flows != 3 || len(three.BySize) != 1 || three.BySize[0].From != 4096 ||
		three.BySize[0].To != 8192 {
		t.Fatalf("%v %+v", err, three)
	}
	if three.All.Slowdown.Max <= 1.5*alone.All.Slowdown.Max ||
		three.All.Completion.Max <= alone.All.Completion.Max {
		t.Errorf("three flows take %+v, one %+v", three.All, alone.All)
	}
	lossy, _, err := find(true, experiment.BuffersLossy, send(1, 5000))
	if err != nil || lossy.All.Slowdown.Max != 1 ||
		lossy.All.Completion.Max == alone.All.Completion.Max {
		t.Errorf("on Ethernet, alone: %v %+v", err, lossy)
	}
	var text strings.Builder
	if err := completion.Text(&text, three); err != nil ||
		!strings.Contains(text.String(), "up to 8191B") {
		t.Errorf("%v\n%s", err, text.String())
	}
	if _, _, err := find(false, "", send(1, 5000)); !errors.Is(err, completion.ErrNoMessages) {
		t.Errorf("error %v", err)
	}
}
