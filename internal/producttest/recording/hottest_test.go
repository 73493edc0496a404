package recording

import (
	"context"
	"testing"
	"time"

	"fabricast"
)

// TestHottestLinks has a run tell of its links while it goes on, which must not change what it
// predicts.
func TestHottestLinks(t *testing.T) {
	f := func(file string, set ...string) {
		t.Helper()
		var hashes []string
		told := 0
		for _, options := range [][]fabricast.Option{nil, {fabricast.Hottest(3), fabricast.OnProgress(time.Millisecond, func(p fabricast.Progress) {
			if len(p.Hottest) > 0 {
				told++
				checkHottest(t, p)
			}
		})}} {
			e, err := fabricast.Load(file, set...)
			if err != nil {
				t.Fatal(err)
			}
			r, err := e.Run(context.Background(), append(options, fabricast.Workers(2))...)
			if err != nil {
				t.Fatal(err)
			}
			hashes = append(hashes, r.Hash)
		}
		if told == 0 {
			t.Errorf("%s: no links were told", file)
		}
		if hashes[0] != hashes[1] {
			t.Errorf("%s: result hash %s, and %s with the hottest links", file, hashes[0], hashes[1])
		}
	}
	f("../../../examples/quickstart.yaml", "workload.size=256B")
	f("../../../examples/uniform-torus.yaml", "traffic.measure.longest=30us")
}

func checkHottest(t *testing.T, p fabricast.Progress) {
	t.Helper()
	if len(p.Hottest) > 3 || p.HotTo <= p.HotFrom || p.PacketHops < 0 {
		t.Errorf("found %+v, expected at most 3 links over some time", p)
	}
	last := 1.0
	for _, l := range p.Hottest {
		if l.Link == "" || l.Utilization <= 0 || l.Utilization > last {
			t.Errorf("found %+v, expected links with utilizations in falling order", p.Hottest)
		}
		last = l.Utilization
	}
}
