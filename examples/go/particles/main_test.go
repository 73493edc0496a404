package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"fabricast"
)

// shipped are the recordings that the study of NSIM-ACE replays.
var shipped = map[string]exchange{}

func init() {
	for ranks, largest := range map[int]int64{32: 2_100_000, 128: 790_000} {
		for _, barrier := range []string{"before", "after", "none"} {
			for _, inter := range []bool{false, true} {
				name := fmt.Sprintf("%d-%s.csv", ranks, barrier)
				if inter {
					name = fmt.Sprintf("%d-%s-inter.csv", ranks, barrier)
				}
				shipped[name] = exchange{
					ranks:   ranks,
					largest: largest,
					barrier: barrier,
					memory:  2_000_000_000,
					node:    8,
					inter:   inter,
					within:  2_800_000_000,
					seed:    1,
				}
			}
		}
	}
}

func TestShippedRecordingsAreWhatTheProgramWrites(t *testing.T) {
	for name, e := range shipped {
		var text bytes.Buffer
		e.write(&text)
		got, err := os.ReadFile(filepath.Join("../../../studies/nsim-ace/particles", name))
		if err != nil || !bytes.Equal(got, text.Bytes()) {
			t.Errorf("%s: %v; go run ./examples/go/particles writes something else", name, err)
		}
	}
}

func TestExchange(t *testing.T) {
	for _, e := range []exchange{shipped["32-before.csv"], shipped["128-after-inter.csv"], {ranks: 7, largest: 1000, node: 2, barrier: "none", memory: 1e9}} {
		if err := e.check(); err != nil {
			t.Fatal(err)
		}
		most, pairs := int64(0), map[[2]int]bool{}
		for _, m := range e.messages() {
			most = max(most, m.bytes)
			switch pair := [2]int{m.from, m.to}; {
			case m.from == m.to, m.bytes < 0, pairs[pair]:
				t.Errorf("%d ranks: message %+v", e.ranks, m)
			case e.inter && m.from/e.node == m.to/e.node:
				t.Errorf("%d ranks: message %+v within a node", e.ranks, m)
			default:
				pairs[pair] = true
			}
		}
		if most != e.largest && !e.inter {
			t.Errorf("%d ranks: the largest message has %d bytes, want %d", e.ranks, most, e.largest)
		}
		// With a partner there is one the other way round: particles cross borders both ways.
		for pair := range pairs {
			if !pairs[[2]int{pair[1], pair[0]}] {
				t.Errorf("%d ranks: nothing goes from %d to %d", e.ranks, pair[1], pair[0])
			}
		}
	}
}

// What stays within a node is either messages or computation, of as many bytes.
func TestWithinNodes(t *testing.T) {
	e := exchange{
		ranks:   24,
		largest: 1_000_000,
		node:    4,
		barrier: "none",
		memory:  1e9,
		within:  1e9,
		inter:   true,
		seed:    7,
	}
	between, within := int64(0), int64(0)
	for _, m := range e.messages() {
		between += m.bytes
	}
	for _, n := range e.copying() {
		within += n
	}
	for _, m := range e.all() {
		between -= m.bytes
	}
	if within == 0 || between+within != 0 {
		t.Errorf("%d bytes within nodes, %d missing between them", within, -between)
	}
	if e.within = 0; e.copying()[0] != 0 {
		t.Error("computation that takes no time")
	}
}

func TestRecordingIsReplayed(t *testing.T) {
	e := exchange{ranks: 8, largest: 50_000, barrier: "after", memory: 1e9, node: 2, seed: 3}
	path := filepath.Join(t.TempDir(), "exchange.csv")
	var text bytes.Buffer
	e.write(&text)
	if err := os.WriteFile(path, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := (&fabricast.Experiment{
		Network:  fabricast.Network{Topology: fabricast.Topology{Dims: []int{2, 2, 2}}},
		Workload: fabricast.Workload{Program: "recorded", File: path, Barrier: "recursive-doubling"},
	}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	bytes := int64(0)
	for _, m := range e.messages() {
		bytes += m.bytes
	}
	if r.PayloadBytes != bytes || r.Messages != int64(len(e.messages())+8*3) {
		t.Errorf(
			"%d messages of %d bytes, want %d of %d",
			r.Messages, r.PayloadBytes, len(e.messages())+24, bytes,
		)
	}
}

func TestWrongFlags(t *testing.T) {
	for _, e := range []exchange{
		{ranks: 1, largest: 1, memory: 1, node: 1, barrier: "none"},
		{ranks: 2, largest: 0, memory: 1, node: 1, barrier: "none"},
		{ranks: 2, largest: 1, memory: 0, node: 1, barrier: "none"},
		{ranks: 2, largest: 1, memory: 1, node: 0, barrier: "none"},
		{ranks: 2, largest: 1, memory: 1, node: 1, barrier: "first"},
		{ranks: 2, largest: 1, memory: 1, node: 1, barrier: "none", within: -1},
	} {
		if e.check() == nil {
			t.Errorf("%+v is accepted", e)
		}
	}
}
