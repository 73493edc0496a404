package browser

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"fabricast/sweep"
)

const loads = `
title: Uniform traffic on a <img id="injected" src="x"> torus
experiment:
  network: {topology: {kind: torus, dims: [4, 4]}}
  traffic: {pattern: uniform, load: 10%}
axes:
  - {field: network.router.vcs, values: [2, 4]}
  - {field: traffic.load, values: [10%, 40%, 95%]}
findings:
  - {that: more load is not faster, value: latency_ps, rises: load}
  - {that: a torus is infinitely fast, value: latency_ps, at_most: 1}
`

// TestSweep opens the report of a study, and holds table, curves and findings against it.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "loads.yaml")
	if err := os.WriteFile(path, []byte(loads), 0o666); err != nil {
		t.Fatal(err)
	}
	file, err := sweep.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	table, err := file.Run(t.Context(), sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	left, err := table.Report()
	if err != nil {
		t.Fatal(err)
	}
	if left.Findings, err = table.Judge(); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := left.JSON(&text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sweep.json"), text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	address, _ := report(t, dir)
	ctx := browse(t)
	open(t, ctx, address)
	picture(t, ctx, "sweep-light")
	rows := evaluate[int](t, ctx, `document.querySelectorAll('[data-testid="sweep-table"] tbody tr').length`)
	if rows != len(left.Rows) {
		t.Errorf("%d rows, want %d", rows, len(left.Rows))
	}
	for _, c := range left.Curves {
		if !evaluate[bool](
			t,
			ctx,
			fmt.Sprintf(`document.querySelector('[data-testid="curve-%s"]') !== null`, c.Name),
		) {
			t.Errorf("no curve %s", c.Name)
		}
	}
	saturated := 0
	for _, row := range table.Rows {
		if !row.Result.Traffic.Stable {
			saturated++
		}
	}
	if n := evaluate[int](
		t, ctx, `document.querySelectorAll('[data-testid="curve-latency"] .series .beyond').length`,
	); n != saturated || n == 0 {
		t.Errorf("%d points are marked as saturated, want %d", n, saturated)
	}
	findings := evaluate[string](t, ctx, `document.querySelector('[data-testid="findings"]').innerText`)
	for _, f := range left.Findings {
		if !bytes.Contains([]byte(findings), []byte(f.That)) {
			t.Errorf("the findings do not tell of %q: %s", f.That, findings)
		}
	}
	if evaluate[bool](t, ctx, `document.getElementById('injected') !== null`) {
		t.Error("a title became an element of the page")
	}
	themes(t, ctx, "sweep")
}

// TestPartialSweep: points that were not run are marked in the curves of the page, and what the mark means
// is said.
func TestPartialSweep(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "loads.yaml")
	if err := os.WriteFile(path, []byte(loads), 0o666); err != nil {
		t.Fatal(err)
	}
	file, err := sweep.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	table, err := file.Run(ctx, sweep.Options{Workers: 1, Folder: filepath.Join(dir, "out"), Progress: func(p sweep.Progress) {
		if p.Done == 2 {
			stop()
		}
	}})
	if table == nil {
		t.Fatal(err)
	}
	left, err := table.Report()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := left.JSON(&text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sweep.json"), text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	address, _ := reportOf(t, 1, filepath.Join(dir, "sweep.json")) // it says that the sweep is not finished
	page := browse(t)
	open(t, page, address)
	const missing = `document.querySelectorAll('[data-testid="curve-latency"] .series .missing').length`
	if n := evaluate[int](t, page, missing); n != left.Unfinished || n == 0 {
		t.Errorf("%d points are marked as missing, want %d", n, left.Unfinished)
	}
	if !evaluate[bool](t, page, `document.querySelector('[data-testid="curve-latency"] [data-testid="no-result"]') !== null`) {
		t.Error("the key does not say what the mark means")
	}
}
