package browser

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"fabricast"
	"fabricast/internal/cli"
	"fabricast/internal/resulttest"
)

// viewed is fabricast run --view, of which a page is opened.
type viewed struct {
	interrupt func()
	address   string
	ended     chan error
}

const viewedExperiment = `
network: {topology: {kind: torus, dims: [4, 4, 2]}}
workload: {program: alltoall, algorithm: ring, size: 4KiB, iterations: %d}
record: {bins: {interval: 50us}}
`

// roundsFor is how often the program of viewedExperiment goes round in about so long on this
// machine.
func roundsFor(t *testing.T, length time.Duration) int {
	t.Helper()
	const few = 300
	e, err := fabricast.Parse("viewed.yaml", fmt.Sprintf(viewedExperiment, few))
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if _, err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return int(few * length / max(time.Since(begin), time.Millisecond))
}

// runView runs the experiment with --view.
func runView(t *testing.T, rounds int) *viewed {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "viewed.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, viewedExperiment, rounds), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(context.Background())
	t.Cleanup(interrupt)
	v := &viewed{interrupt: interrupt, ended: make(chan error, 1)}
	log := &resulttest.Output{}
	cmd := cli.New(io.Discard, log)
	cmd.SetArgs([]string{"run", file, "--view", "--out", filepath.Join(dir, "out")})
	go func() { v.ended <- cmd.ExecuteContext(ctx) }()
	address := regexp.MustCompile(`http://[^ ]*/`)
	for v.address == "" {
		select {
		case err := <-v.ended:
			t.Fatalf("the command ended: %v", err)
		case <-time.After(10 * time.Millisecond):
			v.address = address.FindString(log.String())
		}
	}
	return v
}

// What a page shows of the command: how the run stands, and whether it is there.
const (
	runState    = `document.querySelector('[data-testid="progress"]')?.dataset.state`
	runText     = `(document.querySelector('[data-testid="progress"]')?.innerText ?? "")`
	serverState = `document.querySelector('[data-testid="server"]')?.dataset.state`
)

// TestRunView follows fabricast run --view from its start to its end, and to that of its server.
func TestRunView(t *testing.T) {
	ctx := browse(t)
	v := runView(t, roundsFor(t, 6*time.Second))
	open(t, ctx, v.address)
	until(t, ctx, runState+` === "running"`)
	until(t, ctx, runText+`.includes("0 of 32")`)
	until(t, ctx, runState+` === "ended"`)
	until(t, ctx, `document.querySelector('#app').dataset.live === "false"`)
	if text := evaluate[string](t, ctx, runText); !strings.Contains(text, "32 of 32") ||
		strings.Contains(text, "left") {
		t.Errorf("of the run that has ended the page says %q", text)
	}
	until(t, ctx, `document.querySelector('[data-testid="predicted"]')?.dataset.ps > 0`)
	if state := evaluate[string](t, ctx, serverState); state != "there" {
		t.Errorf("the server is %q before it ends", state)
	}
	picture(t, ctx, "view-ended")
	v.interrupt()
	if err := <-v.ended; err != nil {
		t.Errorf("after Ctrl-C: %v", err)
	}
	until(t, ctx, serverState+` === "ended"`)
	if state := evaluate[string](t, ctx, runState); state != "ended" {
		t.Errorf("the run is %q after the end of the server", state)
	}
	picture(t, ctx, "view-server-ended")
}

// TestRunViewInterrupted demands that the page hears that a run is interrupted, and that its server
// is gone.
func TestRunViewInterrupted(t *testing.T) {
	ctx := browse(t)
	v := runView(t, 1_000_000)
	open(t, ctx, v.address)
	until(t, ctx, runState+` === "running"`)
	v.interrupt()
	until(t, ctx, runState+` === "interrupted"`)
	until(t, ctx, serverState+` === "ended"`)
	if err := <-v.ended; err == nil {
		t.Error("an interrupted run ended without an error")
	}
}

// TestServerLost demands that the page says so if its server goes without a word, and goes on when
// it is back.
func TestServerLost(t *testing.T) {
	dir, _ := smallTorus(t, "bruck")
	front, back := proxy(t, serve(t, dir))
	ctx := browse(t)
	open(t, ctx, front)
	until(t, ctx, serverState+` === "there"`)
	back(false)
	until(t, ctx, serverState+` === "lost"`)
	back(true)
	until(t, ctx, serverState+` === "there"`)
}
