package browser

import (
	"context"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
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
		`(() => { const r = document.querySelector('%s').getBoundingClientRect(); return {X: r.x, Y: r.y, Width: r.width, Height: r.height} })()`,
		id(name),
	))
}

// drag presses the mouse at one share of an element's width and height, and releases it at another.
func drag(t *testing.T, ctx context.Context, name string, fromX, fromY, toX, toY float64) {
	t.Helper()
	p := placeOf(t, ctx, name)
	at := func(kind input.MouseType, x, y float64) chromedp.Action {
		return input.DispatchMouseEvent(kind, p.X+x*p.Width, p.Y+y*p.Height).
			WithButton(input.Left).
			WithButtons(1).
			WithClickCount(1)
	}
	do(t, ctx, at(input.MousePressed, fromX, fromY), at(input.MouseMoved, (fromX+toX)/2, (fromY+toY)/2),
		at(input.MouseMoved, toX, toY), at(input.MouseReleased, toX, toY))
}

// press clicks the first element.
func press(selector string) chromedp.Action { return chromedp.Click(selector, chromedp.ByQuery) }

// data is a data attribute of an element, as JavaScript.
func dataOf(name, key string) string {
	return fmt.Sprintf(`document.querySelector('%s').dataset.%s`, id(name), key)
}

// numbers are those of a data attribute, separated by what is not part of a number.
func numbers(t *testing.T, ctx context.Context, name, key, separator string) []float64 {
	t.Helper()
	var list []float64
	for _, word := range strings.Split(evaluate[string](t, ctx, dataOf(name, key)), separator) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			t.Fatalf("%s of %s: %v", key, name, err)
		}
		list = append(list, v)
	}
	return list
}

// table is the data that a chart gives as CSV, without the head.
func table(t *testing.T, ctx context.Context, chart string) (head []string, rows [][]string) {
	t.Helper()
	text := evaluate[string](t, ctx, fmt.Sprintf(`new Promise(done => {
		const make = URL.createObjectURL, click = HTMLAnchorElement.prototype.click
		HTMLAnchorElement.prototype.click = function () { HTMLAnchorElement.prototype.click = click }
		URL.createObjectURL = blob => { URL.createObjectURL = make; blob.text().then(done); return make.call(URL, blob) }
		document.querySelector('%s').click()
	})`, id(chart+"-csv")), awaited)
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(all) == 0 {
		t.Fatalf("the data of %s: %v", chart, err)
	}
	return all[0], all[1:]
}

// brush chooses a period in the heat map, and returns the bins that the network shows then.
func brush(t *testing.T, ctx context.Context) (from, to int) {
	t.Helper()
	before := evaluate[string](t, ctx, dataOf("network-canvas", "window"))
	drag(t, ctx, "heat-canvas", 0.4, 0.5, 0.6, 0.5)
	until(t, ctx, fmt.Sprintf(`%s !== %q`, dataOf("network-canvas", "window"), before))
	until(t, ctx, fmt.Sprintf(`document.querySelector('%s rect.period[x]') !== null`, id("history")))
	if text := evaluate[string](t, ctx, fmt.Sprintf(`document.querySelector('%s').innerText`, id("now"))); !strings.Contains(
		text,
		"–",
	) {
		t.Errorf("the chosen period is told as %q", text)
	}
	window := numbers(t, ctx, "network-canvas", "window", "-")
	return int(window[0]), int(window[1])
}

// giveBack ends all choices.
func giveBack(t *testing.T, ctx context.Context, bins int) {
	t.Helper()
	do(t, ctx, press(id("clear")))
	until(t, ctx, fmt.Sprintf(`%s === "0-%d"`, dataOf("network-canvas", "window"), bins))
}

// play plays the run to its end; the network follows.
func play(t *testing.T, ctx context.Context, bins int) {
	t.Helper()
	until(t, ctx, dataOf("now", "bin")+` === ""`)
	do(t, ctx, chromedp.SetValue(id("speed"), "20", chromedp.ByQuery))
	do(
		t,
		ctx,
		chromedp.Evaluate(
			fmt.Sprintf(`document.querySelector('%s').dispatchEvent(new Event('change'))`, id("speed")),
			nil,
		),
	)
	do(t, ctx, chromedp.ScrollIntoView(id("play"), chromedp.ByQuery), press(id("play")))
	until(t, ctx, fmt.Sprintf(`Number(%s) > 0 && %s === "Pause"`, dataOf("now", "bin"), label("play")))
	picture(t, ctx, t.Name()+"-playing")
	until(
		t,
		ctx,
		fmt.Sprintf(`Number(%s) === %d && %s === "Play"`, dataOf("now", "bin"), bins-1, label("play")),
	)
	until(t, ctx, fmt.Sprintf(`%s === "%d-%d"`, dataOf("network-canvas", "window"), bins-1, bins))
	giveBack(t, ctx, bins)
}

func label(name string) string {
	return fmt.Sprintf(`document.querySelector('%s').getAttribute('aria-label')`, id(name))
}

// zoom enlarges the heat map by keys and the network by the wheel, and shows all again.
func zoom(t *testing.T, ctx context.Context) {
	t.Helper()
	whole := numbers(t, ctx, "heat-canvas", "view", ",")
	do(
		t, ctx, chromedp.Focus(id("heat-canvas"), chromedp.ByQuery),
		chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent("+"), chromedp.KeyEvent("+"),
	)
	until(
		t,
		ctx,
		fmt.Sprintf(
			`(v => v[1] - v[0] < %g)(%s.split(',').map(Number))`,
			0.6*(whole[1]-whole[0]),
			dataOf("heat-canvas", "view"),
		),
	)
	do(t, ctx, press(id("heat-reset")))
	until(
		t,
		ctx,
		fmt.Sprintf(
			`(v => v[1] - v[0] === %g)(%s.split(',').map(Number))`,
			whole[1]-whole[0],
			dataOf("heat-canvas", "view"),
		),
	)

	p := placeOf(t, ctx, "network-canvas")
	do(
		t,
		ctx,
		chromedp.Focus(id("network-canvas"), chromedp.ByQuery),
		input.DispatchMouseEvent(input.MouseWheel, p.X+p.Width/2, p.Y+p.Height/2).
			WithDeltaX(0).
			WithDeltaY(-400),
	)
	until(t, ctx, `Number(`+dataOf("network-canvas", "zoom")+`) > 1.5`)
	do(t, ctx, press(id("network-reset")))
	until(t, ctx, dataOf("network-canvas", "zoom")+` === "1.00"`)
}

// themes looks at the page in the dark and in the light, by its own switch and as the system says.
func themes(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	ground := `getComputedStyle(document.body).backgroundColor`
	chosen := map[string]string{}
	for _, theme := range []string{"dark", "light"} {
		do(t, ctx, press(fmt.Sprintf(`%s [data-value="%s"]`, id("theme"), theme)))
		chosen[theme] = evaluate[string](t, ctx, ground)
		picture(t, ctx, name+"-"+theme)
	}
	if chosen["dark"] == chosen["light"] {
		t.Errorf("backgrounds of both themes: %v", chosen)
	}
	do(t, ctx, press(id("theme")+` [data-value="system"]`))
	for theme, want := range chosen {
		do(
			t,
			ctx,
			emulation.SetEmulatedMedia().
				WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}),
		)
		until(t, ctx, fmt.Sprintf(`%s === %q`, ground, want))
	}
}

// tabThrough goes through the page by the tabulator, and demands that it reaches the charts and
// that one sees where it is.
func tabThrough(t *testing.T, ctx context.Context, charts ...string) {
	t.Helper()
	charts = slices.Clone(charts)
	for range 300 {
		if len(charts) == 0 {
			return
		}
		do(t, ctx, chromedp.KeyEvent(kb.Tab))
		at := evaluate[[]string](
			t,
			ctx,
			`(e => [e.dataset.testid ?? "", getComputedStyle(e).outlineStyle, e.tagName])(document.activeElement)`,
		)
		if at[2] != "BODY" && at[1] == "none" {
			t.Errorf("one does not see that %s %s has the focus", at[2], at[0])
		}
		charts = slices.DeleteFunc(charts, func(c string) bool { return c == at[0] })
	}
	t.Errorf("the tabulator does not reach %v", charts)
}

// download demands that charts give their data and pictures away.
func download(t *testing.T, ctx context.Context, charts ...string) {
	t.Helper()
	for _, chart := range charts {
		for kind, begin := range map[string]string{"svg": "<svg", "png": "PNG", "csv": ""} {
			got := evaluate[[]string](t, ctx, fmt.Sprintf(`new Promise(done => {
				const make = URL.createObjectURL, click = HTMLAnchorElement.prototype.click
				let bytes
				HTMLAnchorElement.prototype.click = function () { HTMLAnchorElement.prototype.click = click; bytes.then(b => done([this.download, b])) }
				URL.createObjectURL = blob => {
					URL.createObjectURL = make
					bytes = blob.arrayBuffer().then(a => String.fromCharCode(...new Uint8Array(a).slice(0, 200)))
					return make.call(URL, blob)
				}
				document.querySelector('%s').click()
			})`, id(chart+"-"+kind)), awaited)
			if len(got) != 2 || got[0] != chart+"."+kind || !strings.Contains(got[1], begin) || got[1] == "" {
				t.Errorf("%s downloads %.60q", chart+"-"+kind, got)
			}
		}
	}
}
