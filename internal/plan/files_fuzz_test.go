package plan

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fabricast/experiment"
	"fabricast/internal/failure"
	"fabricast/internal/units"
	"fabricast/topology"
	"fabricast/traffic"
)

// written is a file of a text.
func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// refused demands that an error is about the configuration, and says something of bounded length.
func refused(t *testing.T, err error) {
	t.Helper()
	var config *failure.ConfigError
	if !errors.As(err, &config) || err.Error() == "" || len(err.Error()) > 1<<16 {
		t.Fatalf("got %v, want a short ConfigError", err)
	}
}

// lineFields are the words of each line that has any, without comments.
func lineFields(text string) (lines [][]string) {
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line, _, _ = strings.Cut(line, "#")
		if words := strings.Fields(line); len(words) > 0 {
			lines = append(lines, words)
		}
	}
	return lines
}

// onTorus is an experiment of up to 15 ranks on 8 hosts.
func onTorus(t *testing.T, ranks, each uint8) *experiment.Resolved {
	t.Helper()
	e := experiment.Experiment{Node: experiment.Node{Ranks: 1 + int(each%3)}}
	e.Network.Topology = topology.TorusSpec{Hosts: 2, Dims: []int{2, 2}}
	e.Ranks = 1 + int(ranks)%min(15, 8*e.Node.Ranks)
	e.Workload.Program = "barrier"
	r, err := experiment.Resolve(e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// FuzzMapping demands of any text either an error, or the host of each rank as the line of that
// rank names it, and no more ranks on a host than a node has.
func FuzzMapping(f *testing.F) {
	f.Add("0 1\n1 0 # there\n", uint8(1), uint8(0))
	f.Add("\ufeff0 1\r\n\t1 1\r\n", uint8(1), uint8(1))
	f.Add("0 1\n# "+strings.Repeat("long", 20_000)+"\n1 2\n", uint8(1), uint8(0))
	f.Add("0 99999999999999999999\n-1 0\n0\n", uint8(1), uint8(0))
	f.Add("0 1 1 1\n1 0 1 0\n2 7", uint8(2), uint8(0))
	f.Add("0 1 1 1\n1 0 2 -1\n2 0 0 0 0\n", uint8(2), uint8(0))
	f.Fuzz(func(t *testing.T, text string, ranks, each uint8) {
		e := onTorus(t, ranks, each)
		e.Mapping.File = written(t, text)
		hosts, err := hostsOfRanks(e, topologyOf(t, e))
		if err != nil {
			refused(t, err)
			return
		}
		on := make([]int, e.Hosts())
		for _, host := range hosts {
			if on[host]++; on[host] > e.Node.Ranks {
				t.Fatalf("host %d has %d ranks", host, on[host])
			}
		}
		lines := lineFields(text)
		if len(lines) != e.Ranks {
			t.Fatalf("%d lines for %d ranks are taken", len(lines), e.Ranks)
		}
		for _, words := range lines {
			var rank, host, x, y, i int
			_, err := fmt.Sscanf(words[0]+" "+words[1], "%d %d", &rank, &host)
			if len(words) > 2 { // two hosts at each router of 2 x 2
				_, err = fmt.Sscanf(strings.Join(words, " "), "%d %d %d %d", &rank, &x, &y, &i)
				host = 2*(x+2*y) + i
			}
			if err != nil || len(words) != 2 && len(words) != 4 || int(hosts[rank]) != host {
				t.Fatalf("%q gave host %d", words, hosts[rank])
			}
		}
	})
}

// FuzzImbalance demands of any text either an error, or a time of each rank.
func FuzzImbalance(f *testing.F) {
	f.Add("0s\n1us # late\n", uint8(1))
	f.Add("\n100s\n101s\n-1ns\n1e9s\n", uint8(2))
	f.Fuzz(func(t *testing.T, text string, ranks uint8) {
		e := onTorus(t, ranks, 0)
		e.Imbalance.File = written(t, text)
		begins, err := readBegins(e)
		if err != nil {
			refused(t, err)
			return
		}
		if len(begins) != e.Ranks {
			t.Fatalf("%d times for %d ranks", len(begins), e.Ranks)
		}
		for _, begin := range begins {
			if begin < 0 || begin > int64(experiment.MaxWidth) {
				t.Fatalf("begins at %d ps", begin)
			}
		}
	})
}

// FuzzFaults demands of any text either an error, or an outage of some directions of links for each line.
func FuzzFaults(f *testing.F) {
	f.Add("link 0-1 10us 50us\nswitch 2 0 - # for good\n")
	f.Add("\ufefflink 0>1 1ns 2ns rate=25%\r\n\r\nlink 2-3 5us - announced=1us\r\n")
	f.Add("host 2 10us 50us\nnic 1 1us - rate=25%\nplane 0 1us -\n")
	f.Add("link 0-1 5us")
	f.Add("switch 3 1us 1001ns rate=100%\nlink 0-0 0 1s\nlink 0-1 -1us 1e9s announced=\n")
	f.Fuzz(func(t *testing.T, text string) {
		e := onTorus(t, 0, 0)
		e.Faults.File = written(t, text)
		outages, err := readFaults(e, topologyOf(t, e))
		if err != nil {
			refused(t, err)
			return
		}
		if lines := lineFields(text); len(lines) != len(outages) {
			t.Fatalf("%d lines give %d outages", len(lines), len(outages))
		}
		for i := range outages {
			o := &outages[i]
			if o.From < 0 || o.To <= o.From || o.Rate < 0 || o.Rate >= units.Whole || len(o.directions()) == 0 {
				t.Fatalf("%+v", o)
			}
		}
	})
}

// FuzzOutages demands of any text either an error, or positive times of each line.
func FuzzOutages(f *testing.F) {
	f.Add("40ms 2ms\n1s 5us # long\n", false)
	f.Add("\ufeff1ns\r\n\r\n9000000s\n", true)
	f.Add("1us\n", false)
	f.Add("0 1us\n-1us 2us\n1us 0\n1us 1e9s\n99999999999s 1us", false)
	f.Fuzz(func(t *testing.T, text string, repairKnown bool) {
		e := onTorus(t, 0, 0)
		e.Faults.Random.File = written(t, text)
		if repairKnown {
			e.Faults.Random.Repair = units.Microsecond
		}
		table, err := readOutages(e)
		if err != nil {
			refused(t, err)
			return
		}
		if lines := lineFields(text); len(lines) != len(table) || len(table) == 0 {
			t.Fatalf("%d lines give %d times", len(lines), len(table))
		}
		for _, l := range table {
			if l.service < units.Nanosecond || (l.repair == 0) != repairKnown || l.repair < 0 {
				t.Fatalf("%+v", l)
			}
		}
	})
}

// FuzzPermutation demands of any text either an error, or each host as a destination once.
func FuzzPermutation(f *testing.F) {
	f.Add("1\n0\n3\n2\n5\n4\n7\n6 # last\n")
	f.Add("1 2\n")
	f.Add("0\n0\n-1\n99999999999\n\r")
	top, err := topology.TorusSpec{Dims: []int{2, 2}, Hosts: 2}.Build(1)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e := onTorus(t, 0, 0)
		e.Traffic.Pattern = experiment.Pattern{Name: "permutation", File: written(t, text)}
		file, err := readPermutation(e, e.Traffic.Pattern.File)
		if err != nil {
			refused(t, err)
			return
		}
		list := file.table
		if lines := lineFields(text); len(lines) != len(list) {
			t.Fatalf("%d lines became %d destinations", len(lines), len(list))
		}
		_, err = traffic.New(traffic.Spec{Name: "permutation", Table: list}, top)
		if problem := (*traffic.Problem)(nil); errors.As(err, &problem) {
			return
		}
		seen := make([]bool, e.Hosts())
		for _, host := range list {
			if seen[host] {
				t.Fatalf("host %d twice", host)
			}
			seen[host] = true
		}
	})
}
