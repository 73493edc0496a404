package tables

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/collective"
	_ "fabricast/collective/calls" // all collectives
	"fabricast/internal/config"
)

func mustRead(t *testing.T, text string) *Table {
	t.Helper()
	table, err := Read("table", strings.NewReader(text))
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
	f := func(k collective.Kind, c Call, want collective.Algorithm) {
		t.Helper()
		if got := table.Choose(k, c); got != want {
			t.Errorf("%s %+v: found %q, expected %q", k, c, got, want)
		}
	}
	f(collective.KindAlltoall, Call{Ranks: 8, Bytes: 256}, collective.Bruck)
	f(collective.KindAlltoall, Call{Ranks: 8, Bytes: 257}, collective.Pairwise)
	f(collective.KindAlltoall, Call{Ranks: 4, Bytes: 8}, collective.Pairwise)
	f(collective.KindAlltoall, Call{Ranks: 6, Bytes: 8}, collective.Default) // pairwise does not run on 6 ranks
	f(collective.KindAlltoall, Call{Ranks: 6, Bytes: 8, Site: "solver.c:12"}, collective.Ring)
	f(collective.KindAlltoall, Call{Ranks: 11, Bytes: 5000}, collective.SimpleSpread)
	f(collective.KindAlltoall, Call{Ranks: 20, Bytes: 5000}, collective.Default)
	f(collective.KindAlltoall, Call{Ranks: 1 << 30, Bytes: 1 << 40}, collective.Default) // the total does not overflow
	f(collective.KindAllreduce, Call{Ranks: 8}, collective.Ring)
	f(collective.KindAllreduce, Call{Ranks: 8, Ordered: true}, collective.Rabenseifner)
	f(collective.KindAllreduce, Call{Ranks: 7, Ordered: true}, collective.Default)
	f(collective.KindBarrier, Call{Ranks: 8}, collective.Default)
	before, err := table.Before(collective.KindAlltoall, collective.Butterfly)
	if err != nil || before.Choose(collective.KindAlltoall, Call{Ranks: 8, Bytes: 1}) != collective.Butterfly ||
		before.Choose(collective.KindAlltoall, Call{Ranks: 9, Bytes: 1}) != collective.Bruck {
		t.Error("a choice does not go before the table", err)
	}
	if _, err := table.Before(collective.KindAlltoall, collective.Binomial); err == nil || !table.Sites() ||
		Named("mpich").Sites() {
		t.Error("wrong about algorithms or sites", err)
	}
	swing, err := Read("table", strings.NewReader("allreduce swing\n"))
	if err != nil || !swing.Placed() || table.Placed() {
		t.Error("wrong about what depends on places", err)
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
		"alltoall ring ranks<x*bytes+1":  "found ranks<x*bytes+1, expected a line such as",
		"alltoall ring total<1*bytes+1":  "found total<1*bytes+1, expected a line such as",
		"alltoall ring/window=2":         "expected an algorithm with its options: alltoall: algorithm ring: found option \"window\", expected none",
		"broadcast chain/fanout=0":       "found fanout=\"0\", expected a number from 1 to",
		"barrier ring\nbarrier ring a=b": "table:2:1: found a=b",
	} {
		if _, err := Read("table", strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: found %v, expected %s", text, err, want)
		}
	}
}

// Whatever a named table chooses can run.
func TestNamedTables(t *testing.T) {
	for _, name := range Names() {
		table := Named(name)
		rapid.Check(t, func(t *rapid.T) {
			kind := rapid.SampledFrom(collective.Kinds()).Draw(t, "kind")
			c := Call{
				Ranks:   rapid.IntRange(1, 70000).Draw(t, "ranks"),
				Bytes:   rapid.Int64Range(0, 1<<30).Draw(t, "bytes"),
				Ordered: rapid.Bool().Draw(t, "ordered"),
			}
			a := table.Choose(kind, c)
			if err := collective.Check(kind, a, c.Ranks); err != nil {
				t.Fatal(err)
			}
			if info := collective.InfoOf(kind, a); info != nil && info.CommutativeOnly && c.Ordered {
				t.Fatalf("%s %s does not keep the order", kind, a)
			}
		})
	}
	if Named("mvapich") != nil {
		t.Error("found a table that there is not")
	}
}

func TestThresholdsOfNamedTables(t *testing.T) {
	f := func(name string, k collective.Kind, ranks int, bytes int64, want collective.Algorithm) {
		t.Helper()
		if got := Named(name).Choose(k, Call{Ranks: ranks, Bytes: bytes}); got != want {
			t.Errorf(
				"%s: %s of %d bytes on %d ranks: found %q, expected %q",
				name, k, bytes, ranks, got, want,
			)
		}
	}
	f("default", collective.KindAlltoall, 16, 256, collective.Bruck)
	f("default", collective.KindAlltoall, 16, 257, collective.Pairwise)
	f("default", collective.KindAlltoall, 17, 257, collective.Ring)
	f("default", collective.KindAllgather, 16, 1<<14, collective.RecursiveDoubling)
	f("default", collective.KindAllgather, 16, 1<<15, collective.Ring)
	f("default", collective.KindAllgather, 10, 8191, collective.Default)
	f("mpich", collective.KindAlltoall, 17, 32<<10, collective.Scattered)
	f("mpich", collective.KindBroadcast, 8, 16<<10, collective.ScatterDoubling)
	f("mpich", collective.KindReduce, 8, 2049, collective.Rabenseifner)
	f("mpich", collective.KindBroadcast, 7, 1<<20, collective.Binomial)
	f("mpich", collective.KindBroadcast, 9, 12<<10+1, collective.ScatterAllgather)
	f("mpich", collective.KindAllreduce, 8, 16, collective.RecursiveDoubling) // fewer elements than ranks
	f("mpich", collective.KindAllreduce, 8, 64, collective.Rabenseifner)
	f("openmpi-4.1", collective.KindAllreduce, 8, 64<<10, collective.Rabenseifner)
	f("openmpi-5.0", collective.KindBroadcast, 8, 4<<10, collective.Binary+"/segment=0")
	f("openmpi-4.0", collective.KindAlltoall, 16, 199, collective.Bruck)
	f("openmpi-4.0", collective.KindAlltoall, 12, 199, collective.Linear)
	f("openmpi-4.0", collective.KindAllreduce, 12, 9999, collective.RecursiveDoubling)
	f("openmpi-4.0", collective.KindAllreduce, 12, 10000, collective.Ring)
	f("openmpi-4.0", collective.KindAllreduce, 4, 4<<20, collective.Ring)
	f("openmpi-4.0", collective.KindAllreduce, 4, 4<<20+8, collective.SegmentedRing+"/segment=1MiB")
	f("openmpi-4.0", collective.KindAllgather, 12, 1<<20, collective.NeighborExchange)
	f("openmpi-4.0", collective.KindAllgather, 13, 1<<20, collective.Ring)
	f("openmpi-4.0", collective.KindBroadcast, 14, 2<<20, collective.Pipeline+"/segment=16KiB")
	f("openmpi-4.0", collective.KindBroadcast, 5, 2<<20, collective.Pipeline+"/segment=128KiB")
	f("openmpi-4.0", collective.KindReduce, 7, 511, collective.Linear)
	f("openmpi-4.0", collective.KindReduce, 64, 1<<20, collective.Pipeline+"/segment=1KiB")
}

// holds reports whether a condition with a plain number holds.
func holds(value int64, operator string, n int64) bool {
	switch operator {
	case "<":
		return value < n
	case "<=":
		return value <= n
	case ">":
		return value > n
	case ">=":
		return value >= n
	}
	return value == n
}

// TestConditions demands that a condition holds where the comparison does, at the ends of the range
// of numbers too.
func TestConditions(t *testing.T) {
	numbers := rapid.OneOf(rapid.Int64Range(0, 9), rapid.Int64Range(math.MaxInt64-2, math.MaxInt64))
	rapid.Check(t, func(rt *rapid.T) {
		n, bytes := numbers.Draw(rt, "n"), numbers.Draw(rt, "bytes")
		operator := rapid.SampledFrom([]string{"<", "<=", "=", ">=", ">"}).Draw(rt, "operator")
		table := mustRead(t, fmt.Sprintf("alltoall ring bytes%s%d", operator, n))
		if took := table.Choose(collective.KindAlltoall, Call{Ranks: 4, Bytes: bytes}) == collective.Ring; took != holds(
			bytes, operator, n,
		) {
			rt.Fatalf("%d %s %d: %v", bytes, operator, n, took)
		}
	})
}

// FuzzTable demands of any text either few problems, or a table that chooses algorithms that run.
func FuzzTable(f *testing.F) {
	f.Add(
		"alltoall bruck bytes<=256 ranks>=8 # small\nbroadcast binomial total<1MiB site=a.c:3\n",
		uint16(8), int64(64),
	)
	for _, file := range named {
		text, err := files.ReadFile(file + ".txt")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), uint16(6), int64(math.MaxInt64))
	}
	f.Add(
		"x\n\nalltoal ring\nbarrier\nalltoall ring ranks<-9223372036854775808 bytes>9223372036854775807",
		uint16(1), int64(1),
	)
	f.Fuzz(func(t *testing.T, text string, ranks uint16, bytes int64) {
		table, err := Read("x", strings.NewReader(text))
		if err != nil {
			var problems config.Problems
			if !errors.As(err, &problems) || len(problems) > config.MostProblems || err.Error() == "" {
				t.Fatalf("got %v, want a few problems", err)
			}
			return
		}
		for _, kind := range collective.Kinds() {
			a := table.Choose(kind, Call{Ranks: int(ranks) + 1, Bytes: bytes & math.MaxInt64})
			if err := collective.Check(kind, a, int(ranks)+1); a != collective.Default && err != nil {
				t.Fatalf("%s on %d ranks: %s, %v", kind, int(ranks)+1, a, err)
			}
		}
	})
}
