package runs

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fabricast"
)

func TestWatchLines(t *testing.T) {
	f := func(last, p fabricast.Progress, blocks bool, want ...string) {
		t.Helper()
		if got := watchLines(last, p, blocks); !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	last := fabricast.Progress{Time: fabricast.Microsecond, Ranks: 8, Elapsed: time.Second, PacketHops: 1000}
	f(last, fabricast.Progress{
		Time: 4 * fabricast.Microsecond, Ranks: 8, Finished: 2, Share: 0.25, Left: 9 * time.Second, Elapsed: 3 * time.Second, PacketHops: 2_001_000,
		Hottest: []fabricast.LinkLoad{
			{Link: "(0,0) x+", Utilization: 1},
			{Link: "nic 3 of (1,2)", Utilization: 0.252},
		},
		HotFrom: 2 * fabricast.Microsecond, HotTo: 3 * fabricast.Microsecond,
	}, true,
		"simulated      4 us, 1.500 us in a second",
		"packet-hops    2,001,000, 1,000,000/s",
		"ranks ended    2 of 8, 25 %",
		"running for    3 s, 25 % done, about 9 s left",
		"hottest links  from 2 us to 3 us",
		"  100.0 %  ████████████████████  (0,0) x+",
		"   25.2 %  █████░░░░░░░░░░░░░░░  nic 3 of (1,2)",
	)
	f(fabricast.Progress{}, fabricast.Progress{ // of traffic, at its beginning and later
		Time: 4, Bound: 1000, Elapsed: time.Second,
	}, false,
		"simulated      4 ps, 4 ps in a second",
		"packet-hops    0, 0/s",
		"running for    1 s",
	)
	f(fabricast.Progress{}, fabricast.Progress{
		Time: 250, Bound: 1000, Share: 0.25, Left: 3 * time.Second, Elapsed: time.Second, Hottest: []fabricast.LinkLoad{{Link: "x", Utilization: 0.5}}, HotTo: 100,
	}, false,
		"simulated      250 ps, 250 ps in a second",
		"packet-hops    0, 0/s",
		"running for    1 s, 25 % done, about 3 s left",
		"hottest links  from 0 ps to 100 ps",
		"   50.0 %  ##########..........  x",
	)
}
