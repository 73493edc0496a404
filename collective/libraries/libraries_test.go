package libraries

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/collective"
	_ "fabricast/collective/calls" // all collectives
	"fabricast/collective/tables"
	"fabricast/internal/config"
)

// candidates lists the algorithms of a collective with some options.
func candidates(kind collective.Kind) (list []collective.Algorithm) {
	for _, info := range collective.Algorithms(kind) {
		list = append(list, info.Name)
		for _, o := range info.Options {
			values := []int{0, 2, 3, 8192, 1 << 20}
			if o.Words != nil {
				values = values[:0]
				for n := range o.Words {
					values = append(values, n)
				}
			}
			for _, n := range values {
				if n >= o.Least && n != o.Default {
					list = append(list, info.Name+collective.Algorithm(fmt.Sprintf("/%s=%s", o.Name, o.Text(n))))
				}
			}
		}
	}
	return list
}

// written writes decisions in a format and reads them back.
func written(t rapid.TB, f *Format, d Decisions) (*tables.Table, []string) {
	t.Helper()
	var b strings.Builder
	notes, err := f.Write(&b, []Decisions{d})
	if err != nil {
		t.Fatal(err)
	}
	if got := detect(b.String()); got != f.Name {
		t.Fatalf("%s is taken for %s:\n%s", f.Name, got, b.String())
	}
	table, err := Read(f.File, b.String())
	if err != nil {
		t.Fatalf("%s: %v\n%s", f.Name, err, b.String())
	}
	return table, notes
}

// key is what the result of has depends on.
type key struct {
	format    string
	kind      collective.Kind
	ranks     int
	algorithm collective.Algorithm
}

var known = map[key]bool{}

// has reports whether a format has an algorithm exactly, on a number of ranks.
func has(t rapid.TB, f *Format, kind collective.Kind, ranks int, a collective.Algorithm) bool {
	k := key{f.Name, kind, ranks, a}
	if yes, found := known[k]; found {
		return yes
	}
	if !collective.InfoOf(kind, a).Accepts(ranks) {
		return false
	}
	table, notes := written(t, f, Decisions{kind, []Band{{ranks, []Step{{0, []collective.Algorithm{a}}}}}})
	lacks := slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, " has no ") })
	known[k] = !lacks && table.Choose(kind, tables.Call{Ranks: ranks, Bytes: 1 << 24}) == a
	return known[k]
}

// same lists the algorithms that a format has exactly, on a number of ranks.
func same(t rapid.TB, f *Format, kind collective.Kind, ranks int) (list []collective.Algorithm) {
	for _, a := range candidates(kind) {
		if has(t, f, kind, ranks, a) {
			list = append(list, a)
		}
	}
	return list
}

// TestFormatsHave: what each format has exactly, of algorithms without options and with, on 16 ranks.
func TestFormatsHave(t *testing.T) {
	least := map[string]map[collective.Kind]int{
		"openmpi": {
			collective.KindAllreduce: 8, collective.KindAllgather: 5, collective.KindAlltoall: 5, collective.KindBarrier: 5,
			collective.KindBroadcast: 25, collective.KindExscan: 2, collective.KindGather: 6, collective.KindReduce: 20,
			collective.KindReduceScatter: 3, collective.KindScan: 2, collective.KindScatter: 2,
		},
		"mpich": {
			collective.KindAllreduce: 3, collective.KindAllgather: 3, collective.KindAlltoall: 3, collective.KindBarrier: 1,
			collective.KindBroadcast: 9, collective.KindExscan: 1, collective.KindGather: 1, collective.KindReduce: 2,
			collective.KindReduceScatter: 2, collective.KindScan: 1, collective.KindScatter: 1,
		},
		"nccl": {
			collective.KindAllreduce: 2, collective.KindAllgather: 2, collective.KindReduceScatter: 2,
			collective.KindBroadcast: 1, collective.KindReduce: 1,
		},
	}
	least["openmpi-6"] = least["openmpi"]
	for i := range formats {
		f := &formats[i]
		for _, kind := range collective.Kinds() {
			got, want := same(t, f, kind, 16), least[f.Name][kind]
			if f.Name == "fabricast" {
				want = len(candidates(kind))
			}
			if len(got) < want {
				t.Errorf("%s, %s: %v, want %d at least", f.Name, kind, got, want)
			}
		}
	}
}

// TestWriteAndRead: a file that is written and read chooses as the decisions, at sizes of all kinds.
func TestWriteAndRead(t *testing.T) {
	for i := range formats {
		f := &formats[i]
		t.Run(f.Name, func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { writeAndRead(t, f) }) })
	}
}

func writeAndRead(t *rapid.T, f *Format) {
	kind := rapid.SampledFrom(collective.Kinds()).Draw(t, "collective")
	ranks := rapid.SliceOfNDistinct(rapid.SampledFrom([]int{2, 3, 8, 12, 33, 64, 600}), 1, 3, rapid.ID[int]).Draw(t, "ranks")
	slices.Sort(ranks)
	d := Decisions{Kind: kind}
	sizes := []int64{0, 1, 7, 1 << 20, 1 << 30}
	bySize := f.Name == "fabricast" || f.Name == "nccl" ||
		strings.HasPrefix(f.Name, "openmpi") && tunedOf(kind).size != ofNone || f.Name == "mpich" && mpichSizes(kind)
	for _, r := range ranks {
		all := candidates(kind)
		has := func(a collective.Algorithm) bool { return has(t, f, kind, r, a) }
		if !slices.ContainsFunc(all, has) {
			return
		}
		b := Band{Ranks: r}
		froms := []int64{0}
		if bySize {
			froms = append(froms, rapid.SliceOfNDistinct(rapid.Int64Range(1, 1<<21), 0, 4, rapid.ID[int64]).Draw(t, "from")...)
		}
		slices.Sort(froms)
		for _, from := range froms {
			at := rapid.IntRange(0, len(all)-1).Draw(t, "algorithm") // or the first after it that the format has
			rest := slices.Concat(all[at:], all[:at])
			b.Steps = append(b.Steps, Step{from, rest[slices.IndexFunc(rest, has):][:1]})
			sizes = append(sizes, from-1, from, from+1)
		}
		d.Bands = append(d.Bands, b)
	}
	table, _ := written(t, f, d)
	for _, r := range ranks {
		for _, n := range sizes {
			// MPICH's long reductions need as many elements as there are places.
			if n < 0 || f.Name == "mpich" && n < 8*int64(r) {
				continue
			}
			want := d.Choose(r, n)
			if got := table.Choose(kind, tables.Call{Ranks: r, Bytes: n}); got != want {
				t.Fatalf("%s, %s of %d bytes on %d ranks: %s, want %s (%v)", f.Name, kind, n, r, got, want, d)
			}
		}
	}
}

func mpichSizes(kind collective.Kind) bool {
	for _, c := range inMPICH {
		if c.kind == kind {
			return c.size != ofNone
		}
	}
	return false
}

// TestBetweenBands: our own table and Open MPI's rules choose alike on every number of ranks.
func TestBetweenBands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Decisions{Kind: collective.KindAllreduce}
		openMPI := &formats[slices.IndexFunc(formats, func(f Format) bool { return f.Name == "openmpi" })]
		has := same(t, openMPI, d.Kind, 16)
		for _, r := range []int{8, 32, 100} {
			d.Bands = append(d.Bands, Band{r, []Step{
				{0, []collective.Algorithm{rapid.SampledFrom(has).Draw(t, "short")}},
				{4096, []collective.Algorithm{rapid.SampledFrom(has).Draw(t, "long")}},
			}})
		}
		call := tables.Call{Ranks: rapid.IntRange(1, 300).Draw(t, "ranks"), Bytes: rapid.Int64Range(0, 10000).Draw(t, "bytes")}
		want := d.Choose(call.Ranks, call.Bytes)
		for _, name := range []string{"fabricast", "openmpi", "openmpi-6"} {
			f := &formats[slices.IndexFunc(formats, func(f Format) bool { return f.Name == name })]
			table, _ := written(t, f, d)
			if got := table.Choose(d.Kind, call); got != want {
				t.Fatalf("%s %v: %s, want %s", name, call, got, want)
			}
		}
	})
}

// TestSubstitutes: what a library lacks is said, and its own fastest is written.
func TestSubstitutes(t *testing.T) {
	d := Decisions{collective.KindBroadcast, []Band{{16, []Step{
		{0, []collective.Algorithm{"knomial/radix=2", "binomial", "pipeline"}},
		{1 << 20, []collective.Algorithm{"pipeline/segment=8192"}},
	}}}}
	for name, want := range map[string]collective.Algorithm{
		"openmpi": "pipeline", "openmpi-6": "pipeline", "mpich": "knomial/radix=2", "nccl": "pipeline",
	} {
		f := &formats[slices.IndexFunc(formats, func(f Format) bool { return f.Name == name })]
		table, notes := written(t, f, d)
		if got := table.Choose(d.Kind, tables.Call{Ranks: 16, Bytes: 8}); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		said := slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "has no broadcast by knomial/radix=2") })
		if said != (name != "mpich") {
			t.Errorf("%s: notes %q", name, notes)
		}
	}
}

// TestOpenMPIFile reads a file as people write them.
func TestOpenMPIFile(t *testing.T) {
	c, err := Convert("rules.conf", `2 # collectives
3 # alltoall
2
8 # ranks
2
0 3 0 0
8000 2 0 0
64
1
0 0 0 0
7 # broadcast
1
0
2
0 6 0 1024 # binomial
1000000 2 8 65536
`)
	if err != nil {
		t.Fatal(err)
	}
	table, err := tables.Read("lines", strings.NewReader(c.Lines))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		kind  collective.Kind
		ranks int
		bytes int64
		want  collective.Algorithm
	}{
		{collective.KindAlltoall, 10, 799, "bruck"},
		{collective.KindAlltoall, 10, 800, "ring"},
		{collective.KindAlltoall, 2, 10, "bruck"},
		{collective.KindAlltoall, 64, 10, tables.Named("openmpi").Choose(collective.KindAlltoall, tables.Call{Ranks: 64, Bytes: 10})},
		{collective.KindBroadcast, 7, 10, "binomial-doubling/segment=1024"},
		{collective.KindBroadcast, 7, 1e6, "chain/fanout=8"},
		{collective.KindBarrier, 7, 0, tables.Named("openmpi").Choose(collective.KindBarrier, tables.Call{Ranks: 7})},
	} {
		if got := table.Choose(x.kind, tables.Call{Ranks: x.ranks, Bytes: x.bytes}); got != x.want {
			t.Errorf("%s on %d ranks, %d bytes: %s, want %s", x.kind, x.ranks, x.bytes, got, x.want)
		}
	}
}

// TestMPICHOwnRules: the rules that stand for MPICH's own, read back, are those of the table of MPICH.
func TestMPICHOwnRules(t *testing.T) {
	var w writer
	w.object(mpichRest(), "")
	table, err := Read("mpich.json", w.String())
	if err != nil {
		t.Fatal(err)
	}
	built := tables.Named("mpich")
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(collective.Kinds()).Draw(t, "collective")
		call := tables.Call{
			Ranks: rapid.IntRange(2, 300).Draw(t, "ranks"), Bytes: 8 * rapid.Int64Range(0, 1<<17).Draw(t, "elements"),
		}
		if got, want := table.Choose(kind, call), built.Choose(kind, call); got != want {
			t.Fatalf("%s %+v: %s, want %s", kind, call, got, want)
		}
	})
}

// TestMistakes: an error names the line, what was found and what was expected.
func TestMistakes(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{"1\n2\n1\n8\n2\n0 3 0 0\n", "f:7:1"},
		{"1\n2\n1\n8\n1\n0 77 0 0\n", "f:6:3"},
		{"1\n2\n1\n8\n1\n5 3 0 0\n", "found 5, expected 0"},
		{"1\n99 # no such collective\n", "f:2:1"},
		{"rule-file-version-x\n1\n", "f:1:1"},
		{"0x1\n", "x1"},
		{"{\n \"collectives\": 3}", "f:1:1"},
		{"{\n \"collectives\": {\"allreduce\": [{\"rules\": [{\"alg\": 3, \"seg_size\": -4}]}]}}", "-4"},
		{"{\n \"collectives\": {\"allreduce\": [{\"comm_size_min\": \"x\", \"rules\": []}]}}", "inf"},
		{"{\n \"collective=allreduce\":\n {\"avg_msg_size<abc\": {}}}", "f:3:3"},
		{"{\"algorithm=MPIR_Bcast_intra_binomial\":{}}", "a collective above it"},
		{"{\"collective=bcast\":", "the end"},
		{"{]", "JSON"},
		{"allreduce,0,x,ring,simple,-1,-1,-1", "a number of bytes"},
		{"allreduce,0,4,rings,simple,-1,-1,-1", "collnet_direct"},
		{"allreduced,0,4,ring,simple,-1,-1,-1", "broadcast"},
		{"# c\nallreduce,0,4,ring,simple,-1,-1,-1\nallreduce,0,4\n", "f:3:1"},
		{"allreduce rings\n", "did you mean"},
	} {
		_, err := Read("f", x.text)
		var problems config.Problems
		if !errors.As(err, &problems) || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(x.want)) {
			t.Errorf("%q: %v, want %q", x.text, err, x.want)
		}
	}
}

// FuzzRead: any text gives a table or problems with positions, and what it gives is a valid table.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		if text, err := os.ReadFile(name); err == nil {
			f.Add(string(text))
		}
	}
	d := Decisions{collective.KindAllreduce, []Band{{16, []Step{
		{0, []collective.Algorithm{"recursive-doubling"}}, {1 << 16, []collective.Algorithm{"ring"}},
	}}}}
	for i := range formats {
		var b strings.Builder
		if _, err := formats[i].Write(&b, []Decisions{d}); err != nil {
			f.Fatal(err)
		}
		f.Add(b.String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Convert("f", text)
		var problems config.Problems
		if err != nil {
			if !errors.As(err, &problems) {
				t.Fatal(err)
			}
			return
		}
		if _, err := tables.Read("f", strings.NewReader(c.Lines)); err != nil && c.Format != "fabricast" {
			t.Fatalf("%s gives lines that are wrong: %v", c.Format, err)
		}
	})
}
