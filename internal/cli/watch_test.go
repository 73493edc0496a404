package cli

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

func TestScreenDrawsInPlace(t *testing.T) {
	var out strings.Builder
	s := &screen{terminal: &out, size: func() (int, int) { return 6, 4 }}
	f := func(do func(), want string) {
		t.Helper()
		out.Reset()
		do()
		if got := out.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f(s.clear, "")
	// no line may fill the terminal, which would begin another
	f(func() { s.draw([]string{"one", "longer"}) }, "\r\x1b[Jone\nlonge\n")
	f(func() { s.draw([]string{"1", "2", "3", "4"}) }, "\x1b[2A\r\x1b[J1\n2\n3\n")
	f(s.clear, "\x1b[3A\r\x1b[J")
	f(s.clear, "")
}

func TestUnicode(t *testing.T) {
	f := func(all, ctype, lang string, want bool) {
		t.Helper()
		t.Setenv("LC_ALL", all)
		t.Setenv("LC_CTYPE", ctype)
		t.Setenv("LANG", lang)
		if got := unicode(); got != want {
			t.Errorf("LC_ALL=%q LC_CTYPE=%q LANG=%q: %v, want %v", all, ctype, lang, got, want)
		}
	}
	f("", "", "en_GB.UTF-8", true)
	f("", "ja_JP.utf8", "C", true)
	f("C", "", "en_GB.UTF-8", false)
	f("", "", "", false)
}
