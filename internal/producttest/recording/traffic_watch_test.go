package recording

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"fabricast"
	"fabricast/record"
)

// TestTrafficLeavesWord looks into the folder of a measurement that goes on, and interrupts it
// then.
func TestTrafficLeavesWord(t *testing.T) {
	e, err := fabricast.Load(
		"../../../examples/uniform-torus.yaml",
		"traffic.measure={precision: 0.001%, longest: 1s}",
		"record.bins.interval=auto",
	)
	if err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	path := filepath.Join(t.TempDir(), "out")
	done := make(chan error, 1)
	go func() {
		_, err := e.Run(ctx, fabricast.Record(path))
		done <- err
	}()
	for found := false; !found; time.Sleep(20 * time.Millisecond) {
		select {
		case err := <-done:
			t.Fatalf("the run ended with %v", err)
		default:
		}
		r, err := record.Open(path)
		if err != nil {
			continue
		}
		p, err := r.Progress()
		found = err == nil && r.State() == record.Running && p.Time > 0 && p.PacketHops > 0 && p.Rate > 0 &&
			p.Bins > 0
	}
	interrupt()
	var interrupted *fabricast.InterruptedError
	if err := <-done; !errors.As(err, &interrupted) {
		t.Errorf("got %v, want that it was interrupted", err)
	}
	partOfTraffic(t, path, interrupted.Time)
}

// partOfTraffic checks what an interrupted measurement leaves.
func partOfTraffic(t *testing.T, path string, end fabricast.Time) {
	t.Helper()
	r, err := record.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var result fabricast.Result
	if err := json.Unmarshal(r.Result(), &result); err != nil {
		t.Fatal(err)
	}
	if result.State != string(record.Interrupted) || result.SimulatedTime != end || result.Traffic == nil ||
		result.Traffic.Converged ||
		result.Traffic.Accepted.Mean <= 0 {
		t.Errorf("left %+v, with %+v", result, result.Traffic)
	}
	var packets, binned int64
	for link, err := range record.Rows[record.Link](r, record.LinksTable) {
		if err != nil || link.Utilization > 1 {
			t.Fatal(err, link)
		}
		packets += link.Packets
	}
	for row, err := range r.LinkBins() {
		if err != nil {
			t.Fatal(err)
		}
		binned += row.Packets
	}
	if packets == 0 || binned < packets { // bins tell of the warm-up too
		t.Errorf("links carried %d packets, bins tell of %d", packets, binned)
	}
}

// TestTrafficLatencies: each measured message counts once by its size and once by its distance.
func TestTrafficLatencies(t *testing.T) {
	for name, arrivals := range map[string]string{"open": "traffic.load=0.2", "closed": "traffic={pattern: uniform, window: 2, reply: 64B}"} {
		e, err := fabricast.Load(
			"../../../examples/uniform-torus.yaml",
			"network.topology.dims=[4,4]",
			arrivals,
			"traffic.measure={precision: 5%}",
		)
		if err != nil {
			t.Fatal(name, err)
		}
		path := filepath.Join(t.TempDir(), "out")
		result, err := e.Run(t.Context(), fabricast.Record(path))
		if err != nil {
			t.Fatal(name, err)
		}
		r, err := record.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		counts := map[string]int64{}
		for _, row := range all[record.Latency](t, r, record.LatencyTable) {
			counts[row.By] += row.Count
			if row.By == record.ByDistance && (row.From < 0 || row.From > 4) {
				t.Errorf("%s: found a distance of %d links in a torus of 4 x 4", name, row.From)
			}
		}
		if counts[record.BySize] != result.Traffic.Messages ||
			counts[record.ByDistance] != result.Traffic.Messages {
			t.Errorf("%s: latencies of %v messages, measured %d", name, counts, result.Traffic.Messages)
		}
	}
}
