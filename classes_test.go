package fabricast_test

import (
	"path/filepath"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/producttest"
)

// TestClassesOfService: messages of a class with a greater priority are faster than in one queue with
// bulk messages. The results by class, of any number of workers, add up to those of all messages.
func TestClassesOfService(t *testing.T) {
	urgent := func(workers int, classes []experiment.RouterClass) fabricast.ClassResult {
		e, err := fabricast.Load(filepath.Join("examples", "congestion", "classes.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		e.Network.Router.Classes = classes
		r := producttest.Run(t, e, fabricast.Workers(workers))
		if len(r.Classes) != 2 {
			t.Fatalf("results of %d classes", len(r.Classes))
		}
		bulk, urgent := &r.Classes[0], &r.Classes[1]
		if bulk.Messages+urgent.Messages != r.Messages || bulk.PayloadBytes+urgent.PayloadBytes != r.PayloadBytes ||
			max(bulk.Latency.Max, urgent.Latency.Max) != r.Latency.Max {
			t.Errorf("classes are\n%+v\n%+v, all messages\n%+v", bulk, urgent, r)
		}
		if b, u := bulk.Congestion, urgent.Congestion; classes != nil && (b.Packets+u.Packets != r.Congestion.Packets ||
			b.Marked+u.Marked != r.Congestion.Marked || b.Dropped+u.Dropped != r.Congestion.Dropped) {
			t.Errorf("packets of classes are\n%+v\n%+v, all\n%+v", b, u, r.Congestion)
		}
		return *urgent
	}
	fifo := urgent(1, nil)
	strict := urgent(1, []experiment.RouterClass{{Name: "bulk"}, {Name: "latency", Priority: 1}})
	shared := urgent(2, []experiment.RouterClass{{Name: "bulk"}, {Name: "latency"}})
	if fifo.Latency.P99 < 4*strict.Latency.P99 || shared.Latency.P99 > fifo.Latency.P99/2 || shared.Latency.Mean < strict.Latency.Mean {
		t.Errorf("latencies in one queue %+v, with priority %+v, by turns %+v", fifo.Latency, strict.Latency, shared.Latency)
	}
	if strict.Name != "latency" || strict.Class != 1 {
		t.Errorf("class %d is named %q", strict.Class, strict.Name)
	}
}
