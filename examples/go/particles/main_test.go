package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/topology"
)

// shipped holds the parameters of the recordings replayed by the NSIM-ACE study.
var shipped = map[string]exchange{}

func init() {
	for ranks, largest := range map[int]int64{32: 2_100_000, 128: 790_000} {
		for _, barrier := range []string{"before", "after", "none"} {
			for suffix, local := range map[string]string{"": "compute", "-inter": "omit"} {
				shipped[fmt.Sprintf("%d-%s%s.csv", ranks, barrier, suffix)] = exchange{
					ranks:   ranks,
					largest: largest,
					barrier: barrier,
					memory:  2_000_000_000,
					node:    2,
					local:   local,
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
	for _, e := range []exchange{shipped["32-before.csv"], shipped["128-after-inter.csv"], {ranks: 7, largest: 1000, node: 2, local: "put", barrier: "none", memory: 1e9, within: 1}} {
		if err := e.check(); err != nil {
			t.Fatal(err)
		}
		most, pairs := int64(0), map[[2]int]bool{}
		for _, m := range e.messages() {
			most = max(most, m.bytes)
			switch pair := [2]int{m.from, m.to}; {
			case m.from == m.to, m.bytes < 0, pairs[pair]:
				t.Errorf("%d ranks: message %+v", e.ranks, m)
			default:
				pairs[pair] = true
			}
		}
		if most != e.largest {
			t.Errorf("%d ranks: the largest message has %d bytes, want %d", e.ranks, most, e.largest)
		}
		// Every message has a counterpart in the opposite direction: particles cross borders both
		// ways.
		for pair := range pairs {
			if !pairs[[2]int{pair[1], pair[0]}] {
				t.Errorf("%d ranks: nothing goes from %d to %d", e.ranks, pair[1], pair[0])
			}
		}
	}
}

// Puts within a node are recorded as messages, replaced by computation of as many bytes, or
// omitted; all are packed.
func TestWithinNodes(t *testing.T) {
	e := exchange{ranks: 24, largest: 1_000_000, node: 4, memory: 1e9, within: 1e9, seed: 7}
	within, all := int64(0), e.messages()
	for _, m := range all {
		if e.sameNode(m) {
			within += m.bytes
		}
	}
	for local, want := range map[string]struct{ put, computed int64 }{
		"put": {put: within}, "compute": {computed: within}, "omit": {},
	} {
		e.local = local
		if got := sum(e.copying(all)); got != want.computed || within == 0 {
			t.Errorf("%s: %d bytes of %d are computation, want %d", local, got, within, want.computed)
		}
		e.barrier = "none"
		if got := e.putWithin(t); got != want.put {
			t.Errorf("%s: %d bytes are put within nodes, want %d", local, got, want.put)
		}
	}
}

func sum(list []int64) (total int64) {
	for _, n := range list {
		total += n
	}
	return total
}

// putWithin returns the total bytes of puts within nodes in the recording.
func (e *exchange) putWithin(t *testing.T) (total int64) {
	var text bytes.Buffer
	e.write(&text)
	for line := range strings.Lines(text.String()) {
		var m message
		if n, _ := fmt.Sscanf(line, "3,%d,%d,%d", &m.from, &m.to, &m.bytes); n == 3 && e.sameNode(m) {
			total += m.bytes
		}
	}
	if total == 0 && !strings.Contains(text.String(), "3,") {
		t.Error("nothing is put at all")
	}
	return total
}

func TestRecordingIsReplayed(t *testing.T) {
	e := exchange{ranks: 8, largest: 50_000, barrier: "after", memory: 1e9, node: 2, local: "put", seed: 3}
	path := filepath.Join(t.TempDir(), "exchange.csv")
	var text bytes.Buffer
	e.write(&text)
	if err := os.WriteFile(path, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := (&fabricast.Experiment{
		Network:  experiment.Network{Topology: topology.TorusSpec{Dims: []int{2, 2, 2}}},
		Workload: experiment.Workload{Program: "recorded", File: path, Barrier: "recursive-doubling"},
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
	wrong := map[string]func(e *exchange){
		"one rank":  func(e *exchange) { e.ranks = 1 },
		"no bytes":  func(e *exchange) { e.largest = 0 },
		"no memory": func(e *exchange) { e.memory = 0 },
		"no node":   func(e *exchange) { e.node = 0 },
		"a barrier": func(e *exchange) { e.barrier = "first" },
		"within":    func(e *exchange) { e.within = 0 },
		"local put": func(e *exchange) { e.local = "inter" },
	}
	for name, spoil := range wrong {
		e := shipped["32-before.csv"]
		if err := e.check(); err != nil {
			t.Fatal(err)
		}
		if spoil(&e); e.check() == nil {
			t.Errorf("%s: %+v is accepted", name, e)
		}
	}
}
