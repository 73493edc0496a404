package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"fabricast/report/data"
	"fabricast/report/page"
)

// patience is for how long a page may take with anything on a busy machine.
const patience = 2 * time.Minute

// Pixels of the window.
const width, height = 1440, 1000

// flags keep the browser from doing anything but showing the page.
var flags = []chromedp.ExecAllocatorOption{
	chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU,
	chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
	chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
	chromedp.Flag("disable-extensions", true), chromedp.Flag("disable-dev-shm-usage", true),
	chromedp.Flag("force-prefers-reduced-motion", true), chromedp.Flag("hide-scrollbars", true),
	chromedp.WindowSize(width, height),
}

// chromium is the browser of all tests. To start it takes longer than many of them.
type chromium struct {
	ctx  context.Context
	stop func()
}

// started starts the browser when the first test needs it.
var started = sync.OnceValues(func() (*chromium, error) {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, errors.New("there is no Chromium (Debian: apt-get install chromium)")
	}
	dir, err := os.MkdirTemp("", "fabricast-browser-")
	if err != nil {
		return nil, err
	}
	options := append([]chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.UserDataDir(dir)}, flags...)
	ctx, cancelAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(ctx)
	c := &chromium{ctx: ctx, stop: func() {
		cancel()
		cancelAllocator()
		remove(dir)
	}}
	if err := chromedp.Run(ctx); err != nil {
		c.stop()
		return nil, err
	}
	return c, nil
})

// remove removes a folder of a browser. Its processes may still write there for a moment when it is
// stopped.
func remove(dir string) {
	err := os.RemoveAll(dir)
	for end := time.Now().Add(patience); err != nil && time.Now().Before(end); err = os.RemoveAll(dir) {
		time.Sleep(100 * time.Millisecond)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

var browsed bool // the browser is there, or could not be started

func TestMain(m *testing.M) {
	code := m.Run()
	if browsed {
		if c, err := started(); err == nil {
			c.stop()
		}
	}
	for _, run := range torusRuns {
		remove(filepath.Dir(run.folder))
	}
	os.Exit(code)
}

// browse is a page that shares nothing with those of other tests: storage, size or theme.
func browse(t *testing.T) context.Context {
	t.Helper()
	browsed = true
	c, err := started()
	if err != nil {
		t.Fatal(err)
	}
	browser := cdp.WithExecutor(c.ctx, chromedp.FromContext(c.ctx).Browser)
	own, err := target.CreateBrowserContext().WithDisposeOnDetach(true).Do(browser)
	if err != nil {
		t.Fatal(err)
	}
	tab, err := target.CreateTarget("about:blank").WithBrowserContextID(own).
		WithNewWindow(true).WithWidth(width).WithHeight(height).Do(browser)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.DisposeBrowserContext(own).Do(browser) }) // fails only if the browser is gone
	ctx, cancel := chromedp.NewContext(c.ctx, chromedp.WithTargetID(tab))
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*patience)
	t.Cleanup(cancel)
	return ctx
}

// do carries out actions in the page.
func do(t *testing.T, ctx context.Context, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(ctx, actions...); err != nil {
		picture(t, ctx, "failed-"+filepath.Base(t.Name()))
		t.Fatal(err)
	}
}

// id selects an element by its test ID.
func id(name string) string { return `[data-testid="` + name + `"]` }

// open opens an address and waits until the page and its charts are drawn.
func open(t *testing.T, ctx context.Context, address string) {
	t.Helper()
	do(t, ctx, chromedp.Navigate(address), chromedp.WaitReady(`#app[data-ready]`, chromedp.ByQuery))
	if ready := attribute(t, ctx, "#app", "data-ready"); ready != "true" {
		t.Fatalf("the page is %q", ready)
	}
	until(
		t,
		ctx,
		`document.querySelector('#app').dataset.openedMs > 0 || document.querySelector('#app').dataset.live === "true"`,
	)
}

// attribute is that of the first element.
func attribute(t *testing.T, ctx context.Context, selector, name string) string {
	t.Helper()
	var value string
	do(t, ctx, chromedp.AttributeValue(selector, name, &value, nil, chromedp.ByQuery))
	return value
}

// number is an attribute that is one.
func number(t *testing.T, ctx context.Context, selector, name string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(attribute(t, ctx, selector, name), 64)
	if err != nil {
		t.Fatalf("%s of %s: %v", name, selector, err)
	}
	return v
}

// evaluate is what an expression of JavaScript gives.
func evaluate[T any](
	t *testing.T,
	ctx context.Context,
	expression string,
	options ...chromedp.EvaluateOption,
) T {
	t.Helper()
	var v T
	do(t, ctx, chromedp.Evaluate(expression, &v, options...))
	return v
}

// awaited has evaluate wait for a promise.
func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

// until waits for an expression of JavaScript to be true.
func until(t *testing.T, ctx context.Context, expression string) {
	t.Helper()
	for end := time.Now().Add(patience); !evaluate[bool](t, ctx, expression); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			picture(t, ctx, "failed-"+filepath.Base(t.Name()))
			t.Fatalf("waited in vain for %s", expression)
		}
	}
}

// picture leaves a picture of the whole page, if a folder for pictures is named.
func picture(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	folder := os.Getenv("FABRICAST_SCREENSHOTS")
	if folder == "" {
		return
	}
	var png []byte
	err := chromedp.Run(ctx, chromedp.FullScreenshot(&png, 100))
	if err = errors.Join(err, os.MkdirAll(folder, 0o777), os.WriteFile(filepath.Join(folder, name+".png"), png, 0o666)); err != nil {
		t.Errorf("no picture: %v", err)
	}
}

// report makes a report of paths and returns its address on disk and its size.
func report(t *testing.T, paths ...string) (address string, size int64) {
	t.Helper()
	return reportOf(t, 0, paths...)
}

// reportOf makes a report of paths that names so many problems.
func reportOf(t *testing.T, problems int, paths ...string) (address string, size int64) {
	t.Helper()
	r, err := data.Make(paths...)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Manifest.Problems) != problems {
		t.Errorf("problems %q, want %d", r.Manifest.Problems, problems)
	}
	return write(t, r)
}

// write writes a report and returns its address on disk and its size.
func write(t *testing.T, r *data.Report) (address string, size int64) {
	t.Helper()
	manifest, err := r.Manifest.JSON()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	err = page.Write(file, page.Content{Title: r.Manifest.Title, Manifest: manifest, Blobs: r.Blobs.All()})
	info, statErr := file.Stat()
	if err = errors.Join(err, statErr, file.Close()); err != nil {
		t.Fatal(err)
	}
	return (&url.URL{Scheme: "file", Path: file.Name()}).String(), info.Size()
}
