package browser

import (
	"context"
	"net"
	"path/filepath"
	"testing"

	"fabricast"
	"fabricast/report/view"
)

// TestLive follows a run that goes on, to its end.
func TestLive(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "live")
	s, err := view.New(true, dir)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(served, l) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	ctx := browse(t)
	open(t, ctx, "http://"+l.Addr().String()+"/")

	// The run goes on until the page has shown that it does.
	running, interrupt := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		e := &fabricast.Experiment{
			Network:  fabricast.Network{Topology: fabricast.Topology{Kind: "torus", Dims: []int{8, 8, 4}}},
			Workload: fabricast.Workload{Program: "alltoall", Algorithm: "ring", Size: 4096, Iterations: 1000},
		}
		e.Record.Set("bins")
		_, err := e.Run(running, fabricast.Record(dir))
		result <- err
	}()
	until(t, ctx, `document.querySelector('[data-testid="progress"]')?.dataset.state === 'running'`)
	first := evaluate[string](t, ctx, `document.querySelector('[data-testid="progress"]').innerText`)
	until(t, ctx, `(document.querySelector('[data-testid="heat-canvas"]')?.clientHeight ?? 0) > 0`)
	picture(t, ctx, "live-running")
	if last := evaluate[string](t, ctx, `document.querySelector('[data-testid="progress"]').innerText`); last == first {
		t.Errorf("the progress stays %q", first)
	}
	interrupt()
	if err := <-result; err == nil {
		t.Error("the run had ended before the page had seen it")
	}
	until(t, ctx, `document.querySelector('[data-testid="predicted"]')?.dataset.ps > 0`)
	picture(t, ctx, "live-interrupted")
}
