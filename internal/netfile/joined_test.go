package netfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"fabricast/internal/netfile"
)

// twoRates has a node with adapters of two rates at two switches, one with two at one switch, of which
// the rate of one is not given, and one with a single adapter.
const twoRates = `router a
router b
host m/x a 25GB/s
host n/x a 12.5GB/s
host n/y a
host one/x b 50GB/s
host m/y b 50GB/s 300ns
a b
`

// TestJoinedAdapters: the adapters of a node become links of one host, each with its own rate, and the
// host's own link is as fast as these together.
func TestJoinedAdapters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "two.edges")
	if err := os.WriteFile(path, []byte(twoRates), 0o600); err != nil {
		t.Fatal(err)
	}
	n, problems := netfile.Options{File: path, Adapters: netfile.JoinedAdapters}.Read()
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var got []string
	for _, e := range n.Spec.Edges {
		got = append(got, fmt.Sprintf("%s %s %s", n.Spec.Names[e.A], n.Spec.Names[e.B], n.Cable(e.Class).Label()))
	}
	host := 0
	for r, hosts := range n.Spec.Hosts {
		for range hosts {
			got = append(got, fmt.Sprintf("%s at %s %s", n.Spec.HostNames[host], n.Spec.Names[r],
				n.Cable(n.Spec.HostClasses[host]).Label()))
			host++
		}
	}
	want := []string{
		"a b ", "m a 25GBps", "n a 12.5GBps", "n a ", "m b 50GBps 300ns", "one/x at b 50GBps", "m at m 75GBps",
		"n at n ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
	if want := []bool{false, false, true, true}; !slices.Equal(n.Spec.Ends, want) {
		t.Errorf("nodes that forward nothing: %v, want %v", n.Spec.Ends, want)
	}
	if m := n.Spec.Check(); len(m) > 0 {
		t.Errorf("the network is wrong: %v", m)
	}
	hosts, wrong, _ := n.HostsOf("n,m")
	if wrong != "" || !slices.Equal(hosts, []int32{2, 1}) {
		t.Errorf("n and m are hosts %v, %q is unknown", hosts, wrong)
	}
}
