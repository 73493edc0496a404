package browser

import (
	"context"
	"fmt"
	"net"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"fabricast/internal/longrun"
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
	interrupt := longrun.Start(t, dir)
	until(t, ctx, `document.querySelector('[data-testid="progress"]')?.dataset.state === 'running'`)
	text := `document.querySelector('[data-testid="progress"]').innerText`
	first := evaluate[string](t, ctx, text)
	until(t, ctx, fmt.Sprintf(`%s !== %q`, text, first))

	// More bins come, and the charts show them.
	shown := `Number((document.querySelector('[data-testid="network-canvas"]')?.dataset.window ?? "0-0").split("-")[1])`
	until(t, ctx, shown+` > 0 && document.querySelector('[data-testid="heat-canvas"]').clientHeight > 0`)
	bins := evaluate[int](t, ctx, shown)
	until(t, ctx, fmt.Sprintf(`%s > %d`, shown, bins))
	picture(t, ctx, "live-running")
	onlyNews(t, ctx)

	interrupt()
	until(t, ctx, `document.querySelector('[data-testid="predicted"]')?.dataset.ps > 0`)
	until(t, ctx, `document.querySelector('[data-testid="problems"]').innerText.includes("interrupted")`)
	picture(t, ctx, "live-interrupted")
}

// onlyNews demands that the page has asked for no array twice, nor for the network's tables again.
func onlyNews(t *testing.T, ctx context.Context) {
	t.Helper()
	asked := evaluate[[]string](t, ctx, `performance.getEntriesByType("resource").map(e => e.name).filter(n => n.includes("/data/blob/"))`)
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
