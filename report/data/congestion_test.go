package data

import (
	"fmt"
	"path/filepath"
	"testing"

	"fabricast"
)

// The figures of a network that drops or pauses packets, or throttles NICs, are the counts of its result.
func TestFiguresOfCongestion(t *testing.T) {
	const network = "network: {topology: {kind: fat-tree, radix: 4, levels: 2}, packet: {mtu: 1KiB}, router: {%s}}\n" +
		"%s\nworkload: {program: alltoall, size: 64KiB}\n"
	for _, c := range []struct {
		router, node string
		want         func(*fabricast.Result) map[string]any
	}{
		{
			"buffers: lossy, queue: 4KiB", "",
			func(r *fabricast.Result) map[string]any {
				return map[string]any{
					"packets dropped": r.Congestion.Dropped, "packets sent again by NICs": r.Congestion.Again, "pauses": r.Congestion.Pauses,
				}
			},
		},
		{
			"buffers: pfc, shared: {size: 64KiB}", "",
			func(r *fabricast.Result) map[string]any {
				return map[string]any{
					"packets dropped": r.Congestion.Dropped, "pauses": r.Congestion.Pauses, "time paused": r.Congestion.Paused,
				}
			},
		},
		{
			"buffer: 64KiB", "node: {transport: {control: {algorithm: ib-cc}}}",
			func(r *fabricast.Result) map[string]any {
				return map[string]any{
					"packets marked":              r.CongestionControl.Marked,
					"notifications of congestion": r.CongestionControl.Notifications,
					"time held back":              r.CongestionControl.Throttled,
				}
			},
		},
	} {
		e, err := fabricast.Parse("x.yaml", fmt.Sprintf(network, c.router, c.node))
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(t.TempDir(), "run")
		r, err := e.Run(t.Context(), fabricast.Record(folder))
		if err != nil {
			t.Fatal(err)
		}
		figures := map[string]string{}
		for _, f := range mustMake(t, folder).Manifest.Runs[0].Summary.Figures {
			figures[f.What] = fmt.Sprint(f.Value)
		}
		for what, n := range c.want(r) {
			if figures[what] != fmt.Sprint(n) {
				t.Errorf("%s: %s: %s, want %v", c.router, what, figures[what], n)
			}
		}
	}
}
