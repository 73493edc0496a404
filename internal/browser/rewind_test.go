package browser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"fabricast"
	"fabricast/internal/cli"
	"fabricast/internal/units"
	"fabricast/report/data"
	"fabricast/report/view"
)

// runWithCheckpoints runs an experiment that records nothing and keeps checkpoints.
func runWithCheckpoints(t *testing.T, folder string) *fabricast.Result {
	t.Helper()
	e, err := fabricast.Parse("long.yaml", "network: {topology: {kind: torus, dims: [4, 4]}}\n"+
		"workload: {program: alltoall, algorithm: ring, size: 64KiB, iterations: 20}\n")
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Run(t.Context(), fabricast.Record(folder), fabricast.Checkpoint(fabricast.Checkpoints{
		EveryTime: units.Millisecond, Keep: 4,
	}))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// command carries out the arguments of a command.
func command(ctx context.Context, args []string) error {
	log := &strings.Builder{}
	cmd := cli.New(io.Discard, log)
	cmd.SetArgs(args)
	if err := cmd.ExecuteContext(ctx); err != nil {
		return errors.Join(err, errors.New(log.String()))
	}
	return nil
}

// serveRewinds serves the report of a folder, with periods that are simulated again, and returns its
// address.
func serveRewinds(t *testing.T, folder string) string {
	t.Helper()
	s, err := view.New(false, folder)
	if err != nil {
		t.Fatal(err)
	}
	s.Rewind(command)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String() + "/"
}

// dragLine drags over the line of the run from one share of its width to another.
func dragLine(t *testing.T, ctx context.Context, from, to float64) {
	t.Helper()
	do(t, ctx, chromedp.ScrollIntoView(id("rewind-line"), chromedp.ByQuery))
	box := evaluate[[]float64](t, ctx, fmt.Sprintf(
		`(b => [b.x, b.y + b.height / 2, b.width])(document.querySelector('%s').getBoundingClientRect())`, id("rewind-line"),
	))
	for i, step := range []struct {
		kind input.MouseType
		at   float64
	}{{input.MousePressed, from}, {input.MouseMoved, (from + to) / 2}, {input.MouseMoved, to}, {input.MouseReleased, to}} {
		do(t, ctx, chromedp.ActionFunc(func(ctx context.Context) error {
			m := input.DispatchMouseEvent(step.kind, box[0]+step.at*box[2], box[1]).WithButton(input.Left)
			if i != 1 && i != 2 {
				m = m.WithClickCount(1)
			}
			return m.WithButtons(1).Do(ctx)
		}))
	}
}

const shownCommand = `document.querySelector('[data-testid="rewind-command"]').innerText`

// TestRewindOffered: the page of a run that has left checkpoints gives the command that simulates a
// period again: that over which somebody has dragged, for the routers and ranks that are named. As it
// stands, the command records that period.
func TestRewindOffered(t *testing.T) {
	t.Chdir(t.TempDir())
	end := float64(runWithCheckpoints(t, "long").SimulatedTime)
	address, _ := report(t, "long")
	ctx := browse(t)
	open(t, ctx, address)
	if text := evaluate[string](t, ctx, shownCommand); text != "" {
		t.Errorf("before anything is chosen: %q", text)
	}
	dragLine(t, ctx, 0.25, 0.3)
	until(t, ctx, shownCommand+` !== ""`)
	do(t, ctx,
		chromedp.SetValue(id("rewind-routers"), "3, 5", chromedp.ByQuery),
		chromedp.SetValue(id("rewind-ranks"), "7", chromedp.ByQuery),
		chromedp.Click(id("rewind-timeline"), chromedp.ByQuery),
	)
	until(t, ctx, shownCommand+`.includes("--ranks")`)
	picture(t, ctx, "rewind")
	if !evaluate[bool](t, ctx, `document.querySelector('[data-testid="rewind-run"]').hidden`) {
		t.Error("a file offers to simulate")
	}
	words := strings.Fields(evaluate[string](t, ctx, shownCommand))
	var from, length units.Time
	if len(words) != 15 || from.Set(words[4]) != nil || length.Set(words[6]) != nil ||
		strings.Join(words[:3], " ") != "fabricast rewind long" ||
		strings.Join(words[7:14], " ") != "--record bins,messages --routers 3,5 --ranks 7 --out" {
		t.Fatalf("the command is %q", words)
	}
	if a, l := float64(from)/end, float64(length)/end; a < 0.24 || a > 0.26 || l < 0.04 || l > 0.06 {
		t.Errorf("dragged from 0.25 to 0.3 of the run: the period is %.3f long and begins at %.3f", l, a)
	}
	if err := command(t.Context(), words[1:]); err != nil {
		t.Fatal(err)
	}
	r, err := data.Make(words[14])
	if err != nil {
		t.Fatal(err)
	}
	messages := r.Manifest.Runs[0].Tables["messages"]
	if messages == nil || messages.Rows == 0 || r.Manifest.Runs[0].Tables["buffer_log"] == nil {
		t.Errorf("what was recorded has no packets or messages: %+v", r.Manifest.Runs[0].Tables)
	}
}

// TestRewindServed: where fabricast serves the page, a button simulates the period, and the page leads
// to its report. A wish that the command refuses is answered with its reason.
func TestRewindServed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a long run")
	runWithCheckpoints(t, dir)
	ctx := browse(t)
	open(t, ctx, serveRewinds(t, dir))
	dragLine(t, ctx, 0.5, 0.55)
	until(t, ctx, shownCommand+` !== ""`)
	item := func(n int) string {
		return fmt.Sprintf(`document.querySelectorAll('[data-testid="rewind-item"]')[%d]?.dataset.state`, n)
	}
	do(t, ctx, chromedp.Click(id("rewind-run"), chromedp.ByQuery))
	until(t, ctx, item(0)+` === "ended"`)
	picture(t, ctx, "rewind-served")
	made, err := filepath.Glob(dir + "-*")
	if err != nil || len(made) != 1 {
		t.Fatalf("beside the run there are %v, %v", made, err)
	}

	do(t, ctx, chromedp.SetValue(id("rewind-ranks"), "16", chromedp.ByQuery))
	do(t, ctx, chromedp.Click(id("rewind-timeline"), chromedp.ByQuery))
	do(t, ctx, chromedp.Click(id("rewind-run"), chromedp.ByQuery))
	until(t, ctx, item(1)+` === "failed"`)
	text := evaluate[string](t, ctx, `document.querySelector('[data-testid="rewind-list"]').innerText`)
	if !strings.Contains(text, "found --ranks 16, expected numbers from 0 to 15") {
		t.Errorf("why it failed: %q", text)
	}

	open(t, ctx, evaluate[string](t, ctx, `document.querySelector('[data-testid="rewind-open"]').href`))
	until(t, ctx, `document.querySelector('[data-testid="heat-canvas"]').clientHeight > 0`)
	if !evaluate[bool](t, ctx, `document.querySelector('[data-testid="section-look-back"]').hidden`) {
		t.Error("the report of a period, which has no checkpoints, offers to look back")
	}
}

// TestRewindNotOffered: a run without checkpoints does not offer it.
func TestRewindNotOffered(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runWithCheckpoints(t, dir)
	if err := os.RemoveAll(filepath.Join(dir, "checkpoints")); err != nil {
		t.Fatal(err)
	}
	ctx := browse(t)
	open(t, ctx, serveRewinds(t, dir))
	if !evaluate[bool](t, ctx, `document.querySelector('[data-testid="section-look-back"]').hidden`) {
		t.Error("it is offered without checkpoints")
	}
}
