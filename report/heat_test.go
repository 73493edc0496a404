package report

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"fabricast/internal/resulttest"
	"fabricast/record"
)

// run returns a result folder with the given bins, each 1 us long.
func run(t *testing.T, links []record.Link, bins []record.LinkBin, count int, end int64) *record.Reader {
	t.Helper()
	return resulttest.Folder(t, func(f *record.Folder) error {
		w := f.NewBins(1, 1, 1e6, true, false, nil)
		for b := range count {
			rows := func(yield func(record.LinkBin)) {
				for _, l := range bins {
					if int(l.Bin) == b {
						yield(l)
					}
				}
			}
			w.Add(0, int64(b)*1e6, 1e6, int64(b+1)*1e6, rows, func(func(int32, int32, int64, int64)) {})
		}
		return errors.Join(
			w.Finish(end, nil),
			f.Write(record.ResultFile, []byte(`{"schema": "fabricast.result/2"}`)),
			f.Write(
				record.NetworkFile,
				[]byte(
					`{"schema": "fabricast.network/1", "kind": "torus", "routers": 2, "dims": [2], "dimension_names": ["x"]}`,
				),
			),
			record.WriteTable(f, record.LinksTable, slices.Values(links), nil),
		)
	})
}

func TestHeat(t *testing.T) {
	links := []record.Link{
		{Link: 0, Kind: record.Between, RouterName: "(0)", PortName: "+x", Capacity: 1e9, Utilization: 0.5},
		{Link: 1, Kind: record.Between, RouterName: "(1)", PortName: "+x", Capacity: 1e9},
		{
			Link:        2,
			Kind:        record.Injection,
			RouterName:  "(0)",
			PortName:    "nic0",
			Capacity:    1e9,
			Utilization: 0.9,
		},
	}
	bins := []record.LinkBin{ // a link can carry 1000 bytes in a bin, and 500 in the last one
		{Link: 0, Bin: 0, Bytes: 500, Packets: 1},
		{Link: 0, Bin: 2, Bytes: 500, Packets: 1},
		{Link: 2, Bin: 0, Bytes: 1000, Packets: 1},
		{Link: 2, Bin: 1, Bytes: 250, Packets: 1},
	}
	r := run(t, links, bins, 3, 2_500_000)
	f := func(blocks bool, want string) {
		t.Helper()
		var b strings.Builder
		if err := Heat(&b, r, blocks); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
	f(true, `
Links over time, 0 to 2.500 us, a column is 1 us: mean utilization (█ up to 100 %)
dimension x                   ▃ ▅      50 %
hosts, injection              █▃      100 %
The links that carried most (█ up to 100 %)
nic0 to (0)                   █▃      100 %
(0) +x                        ▅ █     100 %
(1) +x                                  0 %
`)
	f(false, `
Links over time, 0 to 2.500 us, a column is 1 us: mean utilization (@ up to 100 %)
dimension x                   - +      50 %
hosts, injection              @-      100 %
The links that carried most (@ up to 100 %)
nic0 to (0)                   @-      100 %
(0) +x                        + @     100 %
(1) +x                                  0 %
`)
}

// TestHeatFits checks that heat maps with long names and many bins fit a terminal of 100 columns.
func TestHeatFits(t *testing.T) {
	var links []record.Link
	var bins []record.LinkBin
	for i := range int32(20) {
		name := strings.Repeat("größer-", 20)
		links = append(
			links,
			record.Link{
				Link:       i,
				Kind:       record.Between,
				Dimension:  -1,
				Level:      -1,
				Class:      name,
				RouterName: name,
				PortName:   name,
				Capacity:   1e9,
			},
		)
		for b := range int32(500) {
			bins = append(bins, record.LinkBin{Link: i, Bin: b, Bytes: 1 + int64(i), Packets: 1})
		}
	}
	var b strings.Builder
	if err := Heat(&b, run(t, links, bins, 500, 500_000_000), true); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > Columns {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if !strings.Contains(b.String(), strings.Repeat("█", 55)) {
		t.Errorf("no full row in\n%s", b.String())
	}
}

func TestHeatOfNothing(t *testing.T) {
	var b strings.Builder
	if err := Heat(&b, run(t, nil, nil, 0, 0), true); err != nil || b.Len() > 0 {
		t.Errorf("got %v and %q, want nothing", err, b.String())
	}
}
