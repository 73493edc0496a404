package browser

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"fabricast"
)

// networks are of each layout in which a page draws networks, with a load at which two hosts take all
// that all hosts send with a utilization of 80 to 90 % of their links.
var networks = []struct{ topology, load string }{
	{"{kind: torus, dims: [4, 4, 3]}", "3.5%"},
	{"{kind: mesh, dims: [5, 4]}", "8.5%"},
	{"{kind: fat-tree, radix: 4, levels: 3}", "10.5%"},
	{"{kind: dragonfly, p: 2, a: 4, h: 1}", "4.2%"},
}

// unreadable lists the texts of a page that have a contrast below 4.5 with what is behind them, by
// WCAG 2.2. Grounds that are transparent are laid over those of the elements around them.
const unreadable = `(() => {
  const parse = (c) => { const m = c.match(/[\d.]+/g).map(Number); return c.startsWith('color(') ? [m[0] * 255, m[1] * 255, m[2] * 255, m[3] ?? 1] : [m[0], m[1], m[2], m[3] ?? 1]; };
  const over = (a, b) => [0, 1, 2].map((k) => a[k] * a[3] + b[k] * (1 - a[3])).concat(1);
  const ground = (e) => { const list = []; for (; e; e = e.parentElement) list.push(parse(getComputedStyle(e).backgroundColor)); return list.reverse().reduce((b, a) => over(a, b), [255, 255, 255, 1]); };
  const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const bad = [];
  for (const e of document.querySelectorAll('body *')) {
    if (!e.checkVisibility() || e.closest('[disabled], noscript, script') || ![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim() !== '')) continue;
    const style = getComputedStyle(e), behind = ground(e);
    const ink = over(parse(e instanceof SVGElement ? style.fill : style.color), behind);
    const [x, y] = [light(ink), light(behind)], contrast = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    if (contrast < 4.5) bad.push(e.textContent.trim().slice(0, 30) + ' ' + contrast.toFixed(2));
  }
  return bad.join('; ');
})()`

// wrongCanvases lists what is wrong with the canvases that are seen: no label, or nothing drawn.
const wrongCanvases = `(() => [...document.querySelectorAll('canvas')].filter((c) => c.checkVisibility()).flatMap((c) => {
  const data = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);
  const name = c.dataset.testid ?? c.parentElement.className;
  return [...(c.getAttribute('aria-label') ? [] : [name + ' has no label']), ...(data.some((v) => v !== data[0]) ? [] : [name + ' is blank'])];
}).join('; '))()`

// hotPixels counts the pixels of a canvas in the upper fifth of the colours.
const hotPixels = `(name) => {
  const key = document.querySelector('[data-testid="' + name + '"] .legend canvas').getContext('2d').getImageData(0, 0, 256, 1).data;
  const canvas = document.querySelector('[data-testid="' + name + '-canvas"]'), data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const hot = new Set();
  for (let i = 205; i < 256; i++) for (const d of [-2, -1, 0, 1, 2]) hot.add((key[4 * i] + d) + ',' + key[4 * i + 2]);
  let n = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255 && data[i + 1] > 180 && hot.has(data[i] + ',' + data[i + 2])) n++;
  return n;
}`

// misplaced tells what is wrong with the axis of message sizes, whose ticks must lie at the logarithms
// of what they say, and whose curve must extend over all given sizes.
const misplaced = `(sizes) => {
  const svg = document.querySelector('[data-testid="latency-size"] svg.chart');
  const units = { B: 1, KiB: 1024, MiB: 1048576 };
  const ticks = [...svg.querySelectorAll('.axes text[text-anchor="middle"]:not(.name)')].map((t) => [t.getAttribute('x'), ...t.textContent.split('\u202f')]).filter((t) => units[t[2]]).map(([x, v, u]) => [Number(x), Math.log2(v * units[u])]);
  if (ticks.length < 2) return 'ticks: ' + ticks;
  const [[x0, v0], [x1, v1]] = [ticks[0], ticks[ticks.length - 1]], at = (v) => x0 + ((v - v0) / (v1 - v0)) * (x1 - x0);
  const off = ticks.filter(([x, v]) => Math.abs(at(v) - x) > 0.5);
  const xs = [...svg.querySelectorAll('.series path')].flatMap((p) => [...p.getAttribute('d').matchAll(/[ML]([\d.]+),/g)].map((m) => Number(m[1])));
  const outside = sizes.filter((s) => at(Math.log2(s)) < Math.min(...xs) - 0.5 || at(Math.log2(s)) > Math.max(...xs) + 0.5);
  return off.length + outside.length === 0 ? '' : 'ticks ' + off + ', sizes ' + outside + ' outside of ' + Math.min(...xs) + ' to ' + Math.max(...xs);
}`

// hotSpot runs traffic to a few hosts of a network, whose ejection links are the bottleneck.
func hotSpot(t *testing.T, topology, load, hosts string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "hot")
	e := loaded(t, fmt.Sprintf(`
network: {topology: %s, host_link: {bandwidth: 2GB/s}}
traffic: {pattern: {name: hot-spot, hosts: %s, share: 100%%}, load: %s}
record: {bins: auto}
`, topology, hosts, load))
	if _, err := e.Run(t.Context(), fabricast.Record(dir)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func loaded(t *testing.T, text string) *fabricast.Experiment {
	t.Helper()
	path := filepath.Join(t.TempDir(), "experiment.yaml")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	e, err := fabricast.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestRead opens reports as one reads them, without a click: NIC links that are the bottleneck of any
// network are seen and the hottest; every canvas is labelled, and drawn when the page has loaded, which
// is when it may be printed; texts have contrast in both themes; sizes of messages lie where they
// belong; an interrupted run predicts nothing.
func TestRead(t *testing.T) {
	ctx := browse(t)
	random := rand.New(rand.NewPCG(7, 34))
	for i, network := range networks {
		topology := network.topology
		hosts := random.Perm(16)[:2]
		address, _ := report(t, hotSpot(t, topology, network.load, fmt.Sprintf("[%d, %d]", hosts[0], hosts[1])))
		do(t, ctx, chromedp.Navigate(address))
		if wrong := evaluate[string](t, ctx, wrongCanvases); wrong != "" {
			t.Errorf("%s, loaded: %s", topology, wrong)
		}
		picture(t, ctx, fmt.Sprint("nics-", i))
		for _, chart := range []string{"network", "heat"} {
			if n := evaluate[int](t, ctx, fmt.Sprintf("(%s)(%q)", hotPixels, chart)); n < 20 {
				t.Errorf("%s: %d pixels of the chart %s are hot", topology, n, chart)
			}
		}
		if key := evaluate[string](
			t, ctx, `document.querySelector('[data-testid="history-key"]').innerText`,
		); !strings.Contains(key, "NIC") {
			t.Errorf("%s: the history shows %q", topology, key)
		}
		if first := evaluate[string](
			t, ctx, `document.querySelector('[data-testid="hottest"] button').innerText`,
		); !strings.Contains(first, " to nic") && !strings.Contains(first, " to host") {
			t.Errorf("%s: the hottest link is called %q", topology, first)
		}
		readable(t, ctx, topology)
	}
	for range 3 {
		messageSizes(t, ctx, 64+random.IntN(1<<14))
	}
	interruptedRun(t, ctx)
}

// readable demands contrast of all texts in both themes.
func readable(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	for _, theme := range []string{"light", "dark"} {
		do(t, ctx, chromedp.Click(id("theme")+` [data-value="`+theme+`"]`, chromedp.ByQuery))
		if bad := evaluate[string](t, ctx, unreadable); bad != "" {
			t.Errorf("%s, %s: %s", name, theme, bad)
		}
	}
	do(t, ctx, chromedp.Click(id("theme")+` [data-value="system"]`, chromedp.ByQuery))
}

// messageSizes holds the axis of message sizes against messages of a size.
func messageSizes(t *testing.T, ctx context.Context, size int) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sizes")
	e := loaded(t, fmt.Sprintf(`
network: {topology: %s}
workload: {program: alltoall, algorithm: ring, size: %dB}
`, networks[0].topology, size))
	if _, err := e.Run(t.Context(), fabricast.Record(dir)); err != nil {
		t.Fatal(err)
	}
	address, _ := report(t, dir)
	do(t, ctx, chromedp.Navigate(address))
	if wrong := evaluate[string](t, ctx, fmt.Sprintf("(%s)([%d])", misplaced, size)); wrong != "" {
		t.Errorf("messages of %d B: %s", size, wrong)
	}
	readable(t, ctx, "program")
	picture(t, ctx, "sizes")
}

// interruptedRun opens the report of a run whose result says that it was interrupted.
func interruptedRun(t *testing.T, ctx context.Context) {
	t.Helper()
	dir, _ := smallTorus(t, "ring")
	file := filepath.Join(dir, "result.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.Replace(string(text), "{", `{"state": "interrupted",`, 1))
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	address, _ := reportOf(t, 1, dir)
	do(t, ctx, chromedp.Navigate(address))
	page := evaluate[string](t, ctx, `document.querySelector('[data-testid="summary"]').innerText`)
	for word, want := range map[string]bool{
		"Predicted": false, "Slowest": false, "no run can beat": false, "0 of 64 ranks had ended": true,
		"Simulated until the interruption": true,
	} {
		if strings.Contains(page, word) != want {
			t.Errorf("an interrupted run says %q: %t\n%s", word, !want, page)
		}
	}
}
