package collective

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func mustRead(t *testing.T, text string) *Table {
	t.Helper()
	table, err := ReadTable("table", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestTableTakesTheFirstRuleThatFits(t *testing.T) {
	table := mustRead(t, `
# comment
alltoall  bruck     bytes<=256 ranks>=8   # small
alltoall  pairwise  total<1MiB
alltoall  ring      site=solver.c:12
alltoall  simple-spread  bytes=5000 ranks>10 ranks<20
allreduce ring
allreduce rabenseifner power-of-two
`)
	f := func(k Kind, c Call, want Algorithm) {
		t.Helper()
		if got := table.Choose(k, c); got != want {
			t.Errorf("%s %+v: found %q, expected %q", k, c, got, want)
		}
	}
	f(KindAlltoall, Call{Ranks: 8, Bytes: 256}, Bruck)
	f(KindAlltoall, Call{Ranks: 8, Bytes: 257}, Pairwise)
	f(KindAlltoall, Call{Ranks: 4, Bytes: 8}, Pairwise)
	f(KindAlltoall, Call{Ranks: 6, Bytes: 8}, Default) // pairwise does not run on 6 ranks
	f(KindAlltoall, Call{Ranks: 6, Bytes: 8, Site: "solver.c:12"}, Ring)
	f(KindAlltoall, Call{Ranks: 11, Bytes: 5000}, SimpleSpread)
	f(KindAlltoall, Call{Ranks: 20, Bytes: 5000}, Default)
	f(KindAlltoall, Call{Ranks: 1 << 30, Bytes: 1 << 40}, Default) // the total does not overflow
	f(KindAllreduce, Call{Ranks: 8}, Ring)
	f(KindAllreduce, Call{Ranks: 8, Ordered: true}, Rabenseifner)
	f(KindAllreduce, Call{Ranks: 7, Ordered: true}, Default)
	f(KindBarrier, Call{Ranks: 8}, Default)
	before, err := table.Before(KindAlltoall, Butterfly)
	if err != nil || before.Choose(KindAlltoall, Call{Ranks: 8, Bytes: 1}) != Butterfly || before.Choose(KindAlltoall, Call{Ranks: 9, Bytes: 1}) != Bruck {
		t.Error("a choice does not go before the table", err)
	}
	if _, err := table.Before(KindAlltoall, Binomial); err == nil || !table.Sites() || NamedTable("mpich").Sites() {
		t.Error("wrong about algorithms or sites", err)
	}
}

func TestTableExplainsMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"alltoal ring":                   "table:1:1: found alltoal, expected a collective: alltoall",
		"\nalltoall":                     "table:2:1: found no algorithm, expected one of bruck",
		"alltoall binomial":              "expected an algorithm: one of bruck",
		"alltoall ring bytes":            "found bytes, expected a condition",
		"alltoall ring bytes<few":        "found bytes<few, expected a condition",
		"alltoall ring size<2":           "found size<2, expected a condition",
		"barrier ring\nbarrier ring a=b": "table:2:1: found a=b",
	} {
		if _, err := ReadTable("table", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: found %v, expected %s", text, err, want)
		}
	}
}

// Whatever a named table chooses can run.
func TestNamedTables(t *testing.T) {
	for _, name := range TableNames() {
		table := NamedTable(name)
		rapid.Check(t, func(t *rapid.T) {
			kind := rapid.SampledFrom(Kinds()).Draw(t, "kind")
			c := Call{Ranks: rapid.IntRange(1, 70000).Draw(t, "ranks"), Bytes: rapid.Int64Range(0, 1<<30).Draw(t, "bytes"), Ordered: rapid.Bool().Draw(t, "ordered")}
			a := table.Choose(kind, c)
			if err := Check(kind, a, c.Ranks); err != nil {
				t.Fatal(err)
			}
			if info := infoOf(kind, a); info != nil && info.CommutativeOnly && c.Ordered {
				t.Fatalf("%s %s does not keep the order", kind, a)
			}
		})
	}
	if NamedTable("mvapich") != nil {
		t.Error("found a table that there is not")
	}
}

func TestThresholdsOfNamedTables(t *testing.T) {
	f := func(name string, k Kind, ranks int, bytes int64, want Algorithm) {
		t.Helper()
		if got := NamedTable(name).Choose(k, Call{Ranks: ranks, Bytes: bytes}); got != want {
			t.Errorf("%s: %s of %d bytes on %d ranks: found %q, expected %q", name, k, bytes, ranks, got, want)
		}
	}
	f("default", KindAlltoall, 16, 256, Bruck)
	f("default", KindAlltoall, 16, 257, Pairwise)
	f("default", KindAlltoall, 17, 257, Ring)
	f("default", KindAllgather, 16, 1<<14, RecursiveDoubling)
	f("default", KindAllgather, 16, 1<<15, Ring)
	f("default", KindAllgather, 10, 8191, Default)
	f("mpich", KindAlltoall, 17, 32<<10, SimpleSpread)
	f("mpich", KindBroadcast, 7, 1<<20, Binomial)
	f("mpich", KindBroadcast, 8, 12<<10, ScatterAllgather)
	f("openmpi", KindAlltoall, 16, 199, Bruck)
	f("openmpi", KindAlltoall, 12, 199, SimpleSpread)
	f("openmpi", KindAllreduce, 12, 9999, RecursiveDoubling)
	f("openmpi", KindAllreduce, 12, 10000, Ring)
}
