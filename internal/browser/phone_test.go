package browser

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// TestPhone demands that reports of one run and of several fit the width of a phone, legends too.
func TestPhone(t *testing.T) {
	const width = 390
	bruck, _ := smallTorus(t, "bruck")
	ring, _ := smallTorus(t, "ring")
	ctx := browse(t)
	do(t, ctx, emulation.SetDeviceMetricsOverride(width, 844, 1, true))
	for name, paths := range map[string][]string{"one": {bruck}, "compare": {bruck, ring}} {
		address, _ := report(t, paths...)
		open(t, ctx, address)
		brush(t, ctx) // what is chosen needs room too
		const beyond = `[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.scroll')).map(e => e.tagName + ' ' + (e.dataset.testid ?? e.className)).join()`
		if out := evaluate[string](t, ctx, beyond); out != "" {
			t.Errorf("%s: wider than the phone: %s", name, out)
		}
		if w := evaluate[int](t, ctx, `document.documentElement.scrollWidth`); w > width {
			t.Errorf("%s: a page of %d pixels, want at most %d", name, w, width)
		}
		const cut = `[...document.querySelectorAll('.legend span, .frame h3, .top h1')].filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0).map(e => e.textContent).join()`
		if out := evaluate[string](t, ctx, cut); out != "" {
			t.Errorf("%s: cut off: %s", name, out)
		}
		picture(t, ctx, "phone-"+name)
		checkNarrowing(t, ctx, name)
	}
}

// checkNarrowing demands that charts never stand out of a page that becomes narrower, even before
// they are drawn anew, and that the strip of time is drawn anew in the same frame.
func checkNarrowing(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	const out = `(() => {
		document.querySelector('main').style.maxWidth = '290px'
		return [...document.querySelectorAll('main canvas, main svg.chart')].filter(e => e.clientWidth > e.parentElement.clientWidth).map(e => e.parentElement.className + ' ' + (e.dataset.testid ?? '')).join()
	})()`
	if charts := evaluate[string](t, ctx, out); charts != "" {
		t.Errorf("%s: charts wider than what they are in: %s", name, charts)
	}
	const stale = `new Promise(done => {
		document.querySelector('main').style.maxWidth = '270px'
		requestAnimationFrame(() => setTimeout(() => {
			const c = document.querySelector('[data-testid=scrubber]')
			done(c.width - Math.round(Math.min(2, devicePixelRatio) * c.parentElement.clientWidth))
		}))
	})`
	if more := evaluate[int](t, ctx, stale, awaited); more != 0 {
		t.Errorf("%s: the strip of time is drawn %d pixels wider than it is", name, more)
	}
}

// TestPixels demands that a pixel of the heat map that covers several links shows their mean, by
// the switch the largest, and that its tip says what it covers; the switch is that of all charts.
func TestPixels(t *testing.T) {
	dir, _ := smallTorus(t, "bruck")
	address, _ := report(t, dir)
	ctx := browse(t)
	open(t, ctx, address)
	p := placeOf(t, ctx, "heat-canvas")
	do(t, ctx, input.DispatchMouseEvent(input.MouseMoved, p.X+0.5*p.Width, p.Y+0.4*p.Height))
	tip := fmt.Sprintf(`(document.querySelector('%s')?.innerText ?? "")`, id("tooltip"))
	until(t, ctx, tip+`.includes("this pixel covers")`)
	if text := evaluate[string](t, ctx, tip); !strings.Contains(text, "mean") ||
		!strings.Contains(text, "largest") ||
		!strings.Contains(text, " links") {
		t.Errorf("the tip of a pixel is %q", text)
	}
	mean := brightness(t, ctx, "heat-canvas")
	do(t, ctx, press(id("pairs-how")+` [data-value="max"]`))
	for _, chart := range []string{"heat", "network", "pairs", "gantt"} {
		until(
			t,
			ctx,
			fmt.Sprintf(
				`document.querySelector('%s [data-value="max"]').getAttribute("aria-checked") === "true"`,
				id(chart+"-how"),
			),
		)
	}
	until(t, ctx, fmt.Sprintf(`%s > %g`, brightnessOf("heat-canvas"), 1.1*mean))
	do(t, ctx, press(id("heat-how")+` [data-value="mean"]`))
	until(t, ctx, fmt.Sprintf(`Math.abs(%s - %g) < %g`, brightnessOf("heat-canvas"), mean, 0.01*mean))
}

// brightnessOf is the mean green of a canvas's middle, as JavaScript: more of it is a higher value
// in both maps of colours.
func brightnessOf(name string) string {
	return fmt.Sprintf(
		`(c => { const d = c.getContext("2d").getImageData(0.3*c.width, 0.1*c.height, 0.4*c.width, 0.6*c.height).data; let s = 0; for (let i = 1; i < d.length; i += 4) s += d[i]; return s / d.length })(document.querySelector('%s'))`,
		id(name),
	)
}

func brightness(t *testing.T, ctx context.Context, name string) float64 {
	t.Helper()
	do(t, ctx, chromedp.ScrollIntoView(id(name), chromedp.ByQuery))
	return evaluate[float64](t, ctx, brightnessOf(name))
}

// TestThroughput demands that the throughput of links is shown beside their utilization, in the
// heat map, the network and the history.
func TestThroughput(t *testing.T) {
	dir, _ := smallTorus(t, "bruck")
	address, _ := report(t, dir)
	ctx := browse(t)
	open(t, ctx, address)
	do(
		t,
		ctx,
		chromedp.Evaluate(
			fmt.Sprintf(
				`(s => { s.value = "throughput"; s.dispatchEvent(new Event("change")) })(document.querySelector('%s'))`,
				id("network-stat"),
			),
			nil,
		),
	)
	for _, chart := range []string{"heat", "network", "history", "pairs"} {
		until(
			t,
			ctx,
			fmt.Sprintf(`document.querySelector('%s').innerText.match(/[GM]B\/s/) !== null`, id(chart)),
		)
	}
	until(t, ctx, fmt.Sprintf(`document.querySelector('%s').value === "throughput"`, id("heat-stat")))
}
