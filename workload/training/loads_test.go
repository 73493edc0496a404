package training

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/internal/config"
	"fabricast/workload/gpu"
	"fabricast/workload/transformer"
)

func loadsIn(text string) (*Loads, config.Problems) {
	return ParseLoads(&config.Source{Name: "loads.txt", Text: text})
}

// TestParseLoads: numbers are read whatever separates them, and comments and empty lines are skipped.
func TestParseLoads(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		experts := rapid.IntRange(1, 20).Draw(r, "experts")
		var want Loads
		var text strings.Builder
		for range rapid.IntRange(1, 10).Draw(r, "layers") {
			layer := rapid.SliceOfN(rapid.Int64Range(0, mostLoad), experts, experts).Draw(r, "layer")
			layer[rapid.IntRange(0, experts-1).Draw(r, "some")] = 1 + rapid.Int64Range(0, 9).Draw(r, "tokens")
			want = append(want, layer)
			text.WriteString(rapid.SampledFrom([]string{"", "\n", "# tokens\n", " \t\r\n"}).Draw(r, "before"))
			for _, n := range layer {
				fmt.Fprint(&text, n, rapid.SampledFrom([]string{" ", ",", ", ", "\t"}).Draw(r, "between"))
			}
			text.WriteString(rapid.SampledFrom([]string{"\n", "# a layer\n", "\r\n"}).Draw(r, "end"))
		}
		got, problems := loadsIn(text.String())
		if len(problems) > 0 || !slices.EqualFunc(*got, want, slices.Equal) {
			r.Fatalf("%v, %v; want %v of\n%s", got, problems, want, text.String())
		}
	})
}

// TestWrongLoads: what is wrong is told with its place.
func TestWrongLoads(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "loads.txt:1:1",
		"# nothing\n\n":        "loads.txt:1:1",
		"1 2\n3 x4\n":          "loads.txt:2:3",
		"1,2\n-3,4\n":          "loads.txt:2:1",
		"1 2\n\n3 4 5\n":       "loads.txt:3:1",
		"1 2\n0 0\n":           "loads.txt:2:1",
		"1 1.5\n":              "loads.txt:1:3",
		"é 2\n":                "loads.txt:1:1",
		"1 9007199254740993\n": "loads.txt:1:3",
	} {
		_, problems := loadsIn(text)
		if len(problems) != 1 || problems[0].Position.String() != want {
			t.Errorf("%q: %v, want one at %s", text, problems, want)
		}
	}
}

func FuzzLoads(f *testing.F) {
	f.Add("1 2\n3,4 # x\n")
	f.Add("0\n\n-1")
	f.Fuzz(func(t *testing.T, text string) {
		list, problems := loadsIn(text)
		if len(problems) > 0 {
			return
		}
		for i := range *list {
			if w := list.weights(i); slices.Min(w) < 1 || slices.Max(w) > 1<<53 {
				t.Fatalf("weights %v of %v", w, (*list)[i])
			}
		}
	})
}

// TestRouteByLoads: tokens are in proportion to those of the file, of the line of the layer.
func TestRouteByLoads(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		const experts = 256
		layers := rapid.IntRange(1, 70).Draw(r, "lines")
		loads := make(Loads, layers)
		for i := range loads {
			loads[i] = rapid.SliceOfN(rapid.Int64Range(0, 1000), experts, experts).Draw(r, "line")
			loads[i][0] = 1 // some has tokens
		}
		j, problems := Job{
			Model: transformer.Model{Preset: "deepseek-v3"}, Parallel: Parallel{Expert: 64}, Batch: 64,
			Accelerator: gpu.Accelerator{Memory: 1e15}, Loads: &loads,
		}.Resolved(64)
		if len(problems) > 0 {
			r.Fatal(problems)
		}
		w := newWorker(&j)
		layer := rapid.IntRange(j.Model.Dense, j.Model.Layers-1).Draw(r, "layer")
		line, of, sum := loads[(layer-j.Model.Dense)%layers], w.route(layer), int64(0)
		for _, n := range line {
			sum += n
		}
		total := w.outer * int64(j.Model.TopK)
		for e, n := range of.experts {
			if slices.Max(of.experts) == w.outer {
				return // an expert has all tokens, so that others have those that it cannot get
			}
			if want := float64(total) * float64(line[e]) / float64(sum); float64(n) < want-2 || float64(n) > want+2 {
				r.Fatalf("expert %d of layer %d has %d tokens of %d, want %.1f", e, layer, n, total, want)
			}
		}
	})
}

// TestLoadsThatDoNotFit: the file has to have a number for each expert, and excludes a distribution.
func TestLoadsThatDoNotFit(t *testing.T) {
	moe := transformer.Model{Layers: 2, Hidden: 256, Heads: 4, Sequence: 512, Vocabulary: 512, Experts: 16, TopK: 4}
	dense := moe
	dense.Experts, dense.TopK = 0, 0
	few, right := Loads{{1, 2, 3}}, Loads{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}}
	for _, c := range []struct {
		job  Job
		want string
	}{
		{Job{Model: moe, Loads: &right}, ""},
		{Job{Model: moe, Loads: &few}, "file"},
		{Job{Model: moe, Loads: &right, Routing: Routing{Distribution: Zipf}}, "routing.distribution"},
		{Job{Model: dense, Loads: &right}, "file"},
	} {
		c.job.Parallel = Parallel{Data: 8, Expert: 8}
		if c.job.Model.Experts == 0 {
			c.job.Parallel.Expert = 0
		}
		_, problems := c.job.Resolved(8)
		found := ""
		for _, p := range problems {
			found += p.Field
		}
		if found != c.want {
			t.Errorf("problems with %q, want %q: %v", found, c.want, problems)
		}
	}
}
