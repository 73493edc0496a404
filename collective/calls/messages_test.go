package calls_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fabricast/collective"
	"fabricast/collective/barrier"
	"fabricast/collective/internal/partners"
	"fabricast/collective/tables"
	"fabricast/node"
)

// counted is a call of a collective in a real library, and how many messages all ranks sent in it.
// The root is rank ranks/2, and elements have 4 bytes.
type counted struct {
	kind                   collective.Kind
	ordered                bool
	ranks, bytes, messages int
}

// counts returns the calls of a file that testdata/messages/count.c has written.
func counts(t *testing.T, file string) (list []counted) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "messages", file))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var name string
		var c counted
		if _, err := fmt.Sscan(line, &name, &c.ranks, &c.bytes, &c.messages); err != nil {
			t.Fatalf("%s: %q: %v", file, line, err)
		}
		name, c.ordered = strings.CutSuffix(name, "-ordered")
		c.kind = collective.Kind(name)
		list = append(list, c)
	}
	return list
}

// chosen returns how many messages the ranks send by the algorithm that a table selects for the
// call, and that algorithm.
func (c *counted) chosen(t *tables.Table) (int, collective.Algorithm, error) {
	a := t.Choose(c.kind, tables.Call{Ranks: c.ranks, Bytes: int64(c.bytes), Ordered: c.ordered, Elem: 4})
	op := &collective.Op{Name: "counted", Elem: 4, Commutative: !c.ordered, Combine: func(_, _ []byte) {}}
	call := func(comm collective.Comm) { barrier.Run(comm, a) }
	for _, s := range scenes {
		if s.kind == c.kind {
			send, recv := node.Size(s.sendN(c.ranks, c.bytes)), node.Size(s.recvN(c.ranks, c.bytes))
			call = func(comm collective.Comm) { s.call(comm, a, send, recv, c.ranks/2, op) }
		}
	}
	m, err := run(c.ranks, 1, call)
	if err != nil {
		return 0, a, err
	}
	return m.messages, a, nil
}

// missing reports whether the library has an algorithm for the call that is missing here, as the
// tables say.
func (c *counted) missing(library string) bool {
	if library == "mpich" {
		return c.kind == collective.KindReduceScatter && c.ordered
	}
	total := c.ranks * c.bytes
	butterfly := c.ranks >= 32 && total >= 2<<10 && total < 512<<10
	return c.kind == collective.KindReduceScatter && !c.ordered && butterfly
}

// beyond returns how many messages more a library sends by its algorithm of that name.
func (c *counted) beyond(t *tables.Table, a collective.Algorithm, openMPI bool) int {
	f := partners.NewFold(c.ranks)
	root := c.ranks / 2
	switch {
	case openMPI && c.kind == collective.KindAllreduce && a == collective.Rabenseifner:
		return 2 * f.Extra // of each pair both ranks combine half of the operands
	case openMPI && a == collective.Nonoverlapping:
		// It reduces by the algorithm that the table selects for that.
		total := tables.Call{Ranks: c.ranks, Bytes: int64(c.bytes), Ordered: c.ordered, Elem: 4}
		if c.kind == collective.KindReduceScatter {
			total.Bytes *= int64(c.ranks)
		}
		if t.Choose(collective.KindReduce, total) == collective.InOrderBinary {
			return 1
		}
	case !openMPI && c.kind == collective.KindReduce && a == collective.Rabenseifner && root < 2*f.Extra:
		// Of each pair the odd rank is idle, not the even one.
		if root%2 == 1 {
			return 1
		}
		return -1
	}
	return 0
}

// TestTablesSendAsManyMessagesAsTheLibraries compares what tables select with messages counted in
// the libraries themselves, by testdata/messages/count.c, of sizes and numbers of ranks drawn at
// random and around the thresholds. Open MPI 4.1.4 and 5.0.7 sent the same numbers of messages, and
// so did MPICH 4.0.2, 4.2.1 and 5.0.2.
func TestTablesSendAsManyMessagesAsTheLibraries(t *testing.T) {
	for _, library := range []string{"openmpi", "mpich"} {
		t.Run(library, func(t *testing.T) {
			table := tables.Named(library)
			for _, c := range counts(t, library+".txt") {
				if c.missing(library) {
					continue
				}
				got, a, err := c.chosen(table)
				if err != nil {
					t.Fatalf("%+v by %s: %v", c, a, err)
				}
				if got += c.beyond(table, a, library == "openmpi"); got != c.messages {
					t.Errorf("%+v: got %d messages by %q", c, got, a)
				}
			}
		})
	}
}
