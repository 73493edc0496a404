package browser

import (
	"context"
	"fmt"
	"net"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"fabricast/internal/draws"
	"fabricast/internal/longrun"
	"fabricast/report/view"
)

// serve serves the report of a path until the test ends, and returns its address.
func serve(t *testing.T, path string) string {
	t.Helper()
	s, err := view.New(true, path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(served, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String() + "/"
}

// What a page shows of a run that goes on: that it does, and up to which bin.
const (
	goesOn    = `document.querySelector('[data-testid="progress"]')?.dataset.state === 'running'`
	shownBins = `Number((document.querySelector('[data-testid="network-canvas"]')?.dataset.window ?? "0-0").split("-")[1])`
)

// TestLive follows a run that goes on, to its end.
func TestLive(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "live")
	ctx := browse(t)
	open(t, ctx, serve(t, dir))

	// The run goes on until the page has shown that it does.
	interrupt := longrun.Start(t, longrun.Small(), dir)
	until(t, ctx, goesOn)
	text := `document.querySelector('[data-testid="progress"]').innerText`
	first := evaluate[string](t, ctx, text)
	until(t, ctx, fmt.Sprintf(`%s !== %q`, text, first))

	// More bins come, and the charts show them.
	until(t, ctx, shownBins+` > 0 && document.querySelector('[data-testid="heat-canvas"]').clientHeight > 0`)
	bins := evaluate[int](t, ctx, shownBins)
	until(t, ctx, fmt.Sprintf(`%s > %d`, shownBins, bins))
	picture(t, ctx, "live-running")
	onlyNews(t, ctx)

	interrupt()
	until(t, ctx, `document.querySelector('[data-testid="predicted"]')?.dataset.ps > 0`)
	until(t, ctx, `document.querySelector('[data-testid="problems"]').innerText.includes("interrupted")`)
	picture(t, ctx, "live-interrupted")
}

// TestLiveLarge follows a run of 16,384 nodes until its bins are shown, and tells when the page did
// not answer in between. Long tests follow one of 65,536.
func TestLiveLarge(t *testing.T) {
	everyOther(t, 1)
	dir := filepath.Join(t.TempDir(), "live")
	ctx := browse(t)
	open(t, ctx, serve(t, dir))
	const watch = `window.blocked = []; new PerformanceObserver(l => l.getEntries().forEach(e => blocked.push(Math.round(e.duration)))).observe({entryTypes: ["longtask"]}); true`
	evaluate[bool](t, ctx, watch)
	dims := []int{32, 32, 16}
	if draws.Long() {
		dims = []int{64, 32, 32}
	}
	interrupt := longrun.Start(t, longrun.Large(dims...), dir)
	until(t, ctx, goesOn)
	until(t, ctx, shownBins+` > 0`)
	t.Logf("tasks of more than 50 ms until bins are shown: %v ms", evaluate[[]int](t, ctx, `blocked`))
	picture(t, ctx, "live-large")
	onlyNews(t, ctx)
	interrupt()
	until(t, ctx, `document.querySelector('[data-testid="problems"]').innerText.includes("interrupted")`)
}

// onlyNews demands that the page has asked for no array twice, nor for the network's tables again.
func onlyNews(t *testing.T, ctx context.Context) {
	t.Helper()
	asked := evaluate[[]string](
		t,
		ctx,
		`performance.getEntriesByType("resource").map(e => e.name).filter(n => n.includes("/data/blob/"))`,
	)
	seen := map[string]bool{}
	tables := map[string]bool{}
	for _, name := range asked {
		if seen[name] {
			t.Errorf("%s was asked for twice", name)
		}
		seen[name] = true
		if strings.HasSuffix(name, ".links.router") {
			tables[path.Base(name)] = true
		}
	}
	if len(tables) != 1 {
		t.Errorf("the table of links came %d times: %v", len(tables), asked)
	}
}
