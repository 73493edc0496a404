package fabricast_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"fabricast"
	"fabricast/record"
)

// TestTrafficLeavesWord looks into the folder of a measurement that goes on, and interrupts it then.
func TestTrafficLeavesWord(t *testing.T) {
	e, err := fabricast.Load("examples/uniform-torus.yaml", "traffic.measure={precision: 0.001%, longest: 1s}", "record.bins.interval=auto")
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
		found = err == nil && r.State() == record.Running && p.Time > 0 && p.PacketHops > 0 && p.Rate > 0 && p.Bins > 0
	}
	interrupt()
	var interrupted *fabricast.InterruptedError
	if err := <-done; !errors.As(err, &interrupted) {
		t.Errorf("got %v, want that it was interrupted", err)
	}
}
