package calls_test

import (
	"math/bits"
	"strings"
	"testing"

	"fabricast/collective"
	"fabricast/collective/allreduce"
	"fabricast/collective/alltoall"
	"fabricast/collective/broadcast"
	"fabricast/collective/gather"
	"fabricast/collective/scatter"
	"fabricast/node"
)

func TestCheckNamesWhatExists(t *testing.T) {
	for _, k := range collective.Kinds() {
		if len(collective.Algorithms(k)) == 0 {
			t.Errorf("%s has no algorithms", k)
		}
		err := collective.Check(k, "bruk", 8)
		if err == nil {
			t.Fatalf("%s accepts an unknown algorithm", k)
		}
		for _, name := range collective.Names(k) {
			if !strings.Contains(err.Error(), name) {
				t.Errorf("%q does not name %s", err, name)
			}
		}
	}
	if err := collective.Check("alltoal", collective.Bruck, 8); err == nil || !strings.Contains(err.Error(), "alltoall, barrier") {
		t.Errorf("unknown collective: %v", err)
	}
}

func TestCheckKnowsRankCounts(t *testing.T) {
	for _, k := range collective.Kinds() {
		for _, info := range collective.Algorithms(k) {
			if info.Summary == "" {
				t.Errorf("%s %s has no summary", k, info.Name)
			}
			for p := 1; p <= 70; p++ {
				want := (!info.PowerOfTwo || bits.OnesCount(uint(p)) == 1) && (!info.Even || p%2 == 0 || p == 1)
				if err := collective.Check(k, info.Name, p); (err == nil) != want {
					t.Errorf("%s %s on %d ranks: %v", k, info.Name, p, err)
				}
			}
		}
		for p := 1; p <= 70; p++ {
			if err := collective.Check(k, collective.Default, p); err != nil {
				t.Errorf("the default must accept any number of ranks: %v", err)
			}
		}
	}
}

// message is what a call panics with.
func message(f func()) (text string) {
	defer func() { text, _ = recover().(string) }()
	f()
	return ""
}

func TestWrongCallsExplainThemselves(t *testing.T) {
	c := &memoryComm{memory: &memory{size: 4}}
	data := func(n int) node.Buf { return node.Data(make([]byte, n)) }
	wrong := func(want string, f func()) {
		t.Helper()
		if got := message(f); !strings.Contains(got, want) {
			t.Errorf("got %q, want it to contain %q", got, want)
		}
	}
	wrong("6 bytes is not 4 equal blocks", func() { alltoall.Run(c, node.Size(6), node.Size(6), collective.Bruck) })
	wrong("receive buffer has 4 bytes, expected 8", func() { alltoall.Run(c, node.Size(8), node.Size(4), collective.Bruck) })
	wrong("either both buffers have contents", func() { alltoall.Run(c, node.Size(8), data(8), collective.Bruck) })
	wrong("root 4 is not in 0..3", func() { broadcast.Run(c, node.Size(8), 4, collective.Default) })
	wrong("root -1 is not in 0..3", func() { gather.Run(c, node.Size(8), node.Size(32), -1, collective.Default) })
	wrong("expected one of binomial", func() { scatter.Run(c, node.Size(32), node.Size(8), 0, collective.Ring) })
	wrong("whole elements of 8 bytes", func() { allreduce.Run(c, data(12), data(12), collective.SumInt64, collective.Default) })
	wrong("no Combine function", func() { allreduce.Run(c, data(8), data(8), &collective.Op{Elem: 8}, collective.Default) })
	wrong(
		"needs a commutative operation, \"affine\" is not",
		func() { allreduce.Run(c, data(8), data(8), affine, collective.Ring) },
	)
	c.size = 6
	wrong("power of two, found 6", func() { alltoall.Run(c, node.Size(6), node.Size(6), collective.Pairwise) })
}

// Names of algorithms, and the other names of some, are told apart, and each leads to its algorithm.
func TestEveryNameLeadsToItsAlgorithm(t *testing.T) {
	aliases := 0
	for _, k := range collective.Kinds() {
		known := map[collective.Algorithm]bool{}
		for _, info := range collective.Algorithms(k) {
			names := []collective.Algorithm{info.Name}
			if info.Alias != "" {
				names = append(names, info.Alias)
				aliases++
			}
			for _, name := range names {
				if known[name] {
					t.Errorf("%s: two algorithms are called %s", k, name)
				}
				known[name] = true
				if got := name.Shown(k); got != info.Name || !name.Known(k) || collective.Check(k, name, 16) != nil {
					t.Errorf("%s %s is shown as %s, want %s; %v", k, name, got, info.Name, collective.Check(k, name, 16))
				}
				if got := (name + "/segment=4KiB").Shown(k); got != info.Name+"/segment=4KiB" {
					t.Errorf("%s %s with an option is shown as %s", k, name, got)
				}
			}
		}
		if got := collective.Algorithm("bruk/x").Shown(k); got != "bruk/x" {
			t.Errorf("%s: an unknown algorithm is shown as %s", k, got)
		}
	}
	if aliases == 0 {
		t.Error("no algorithm has another name")
	}
}
