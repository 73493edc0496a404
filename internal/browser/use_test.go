package browser

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// place is where an element is in the window.
type place struct{ X, Y, Width, Height float64 }

func placeOf(t *testing.T, ctx context.Context, name string) place {
	t.Helper()
	do(t, ctx, chromedp.ScrollIntoView(id(name), chromedp.ByQuery))
	return evaluate[place](t, ctx, fmt.Sprintf(
		`(() => { const r = document.querySelector('%s').getBoundingClientRect(); return {X: r.x, Y: r.y, Width: r.width, Height: r.height} })()`, id(name)))
}

// drag presses the mouse at one share of an element's width and height, and releases it at another.
func drag(t *testing.T, ctx context.Context, name string, fromX, fromY, toX, toY float64) {
	t.Helper()
	p := placeOf(t, ctx, name)
	at := func(kind input.MouseType, x, y float64) chromedp.Action {
		return input.DispatchMouseEvent(kind, p.X+x*p.Width, p.Y+y*p.Height).WithButton(input.Left).WithButtons(1).WithClickCount(1)
	}
	do(t, ctx, at(input.MousePressed, fromX, fromY), at(input.MouseMoved, (fromX+toX)/2, (fromY+toY)/2),
		at(input.MouseMoved, toX, toY), at(input.MouseReleased, toX, toY))
}

// brushAndPlay chooses a period in the heat map, which the network follows, gives it back, and plays.
func brushAndPlay(t *testing.T, ctx context.Context) {
	t.Helper()
	window := fmt.Sprintf(`document.querySelector('%s').dataset.window`, id("network-canvas"))
	before := evaluate[string](t, ctx, window)
	drag(t, ctx, "heat-canvas", 0.4, 0.5, 0.6, 0.7)
	until(t, ctx, fmt.Sprintf(`%s !== %q`, window, before))
	picture(t, ctx, t.Name()+"-brushed")
	do(t, ctx, press(id("clear")))
	until(t, ctx, fmt.Sprintf(`%s === %q`, window, before))

	do(t, ctx, chromedp.Focus(id("heat-canvas"), chromedp.ByQuery), chromedp.KeyEvent("+"), chromedp.KeyEvent(kb.ArrowRight))

	bin := fmt.Sprintf(`document.querySelector('%s').dataset.bin`, id("now"))
	start := evaluate[string](t, ctx, bin)
	do(t, ctx, chromedp.ScrollIntoView(id("play"), chromedp.ByQuery), press(id("play")))
	until(t, ctx, fmt.Sprintf(`%s !== %q`, bin, start))
	picture(t, ctx, t.Name()+"-playing")
	do(t, ctx, press(id("play")))
}

// press clicks the first element.
func press(selector string) chromedp.Action { return chromedp.Click(selector, chromedp.ByQuery) }

// themes looks at the page in the dark and in the light.
func themes(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	seen := map[string]bool{}
	for _, theme := range []string{"dark", "light"} {
		do(t, ctx, press(fmt.Sprintf(`%s [data-value="%s"]`, id("theme"), theme)))
		seen[evaluate[string](t, ctx, `getComputedStyle(document.body).backgroundColor`)] = true
		picture(t, ctx, name+"-"+theme)
	}
	if len(seen) != 2 {
		t.Errorf("backgrounds of both themes: %v", seen)
	}
}

// download demands that charts give their data and picture away.
func download(t *testing.T, ctx context.Context) {
	t.Helper()
	for _, button := range []string{"heat-csv", "heat-png", "network-png", "latency-distance-svg"} {
		names := evaluate[[]string](t, ctx, fmt.Sprintf(`new Promise(done => {
			const saved = HTMLAnchorElement.prototype.click
			HTMLAnchorElement.prototype.click = function () { HTMLAnchorElement.prototype.click = saved; done([this.download, this.href.slice(0, 5)]) }
			document.querySelector('%s').click()
		})`, id(button)), awaited)
		if len(names) != 2 || names[0] == "" {
			t.Errorf("%s downloads %q", button, names)
		}
	}
}
