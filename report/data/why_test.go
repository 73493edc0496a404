package data

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/causes"
	"fabricast/internal/units"
	"fabricast/internal/why"
	"fabricast/record"
	"fabricast/topology"
)

// explained runs an all-to-all on a small torus, with ranks that start late, and reports why it takes its
// time. It returns its result and its folder too.
func explained(t *testing.T) (*Report, *fabricast.Result, string) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "torus")
	e := &fabricast.Experiment{
		Network:   experiment.Network{Topology: topology.TorusSpec{Dims: []int{4, 4, 2}}},
		Workload:  experiment.Workload{Program: "alltoall", Algorithm: "bruck", Size: 2048},
		Imbalance: experiment.Imbalance{Width: units.Span{Time: 9 * units.Microsecond}},
	}
	e.Record.Set("causes=full")
	r, err := e.Run(t.Context(), fabricast.Record(folder))
	if err != nil {
		t.Fatal(err)
	}
	report := mustMake(t, folder)
	if p := report.Manifest.Problems; len(p) > 0 {
		t.Fatalf("problems %q", p)
	}
	return report, r, folder
}

// tableOf reads a table of a result folder.
func tableOf[T any](t *testing.T, folder, table string) []T {
	t.Helper()
	list, err := parquet.ReadFile[T](filepath.Join(folder, table))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestPathSumsToThePredictedTime checks that segments follow one another from 0 to the end, and that the
// sums by cause are theirs.
func TestPathSumsToThePredictedTime(t *testing.T) {
	r, result, _ := explained(t)
	w, table := r.Manifest.Runs[0].Why, r.Manifest.Runs[0].Tables["why_path"]
	if w.Missing != "" || w.Predicted != int64(result.SimulatedTime) {
		t.Fatalf("missing %q, predicted %d ps, want %d", w.Missing, w.Predicted, result.SimulatedTime)
	}
	begin, end := values(t, r, table, "begin_ps"), values(t, r, table, "end_ps")
	cause, at := values(t, r, table, "cause"), 0.0
	words := table.Columns[slices.IndexFunc(table.Columns, func(c Column) bool { return c.Name == "cause" })].Words
	sums := map[string]int64{}
	for i := range begin {
		if begin[i] != at || end[i] <= begin[i] {
			t.Fatalf("segment %d from %g to %g ps, the one before ends at %g", i, begin[i], end[i], at)
		}
		at = end[i]
		sums[words[int(cause[i])]] += int64(end[i] - begin[i])
	}
	if at != float64(result.SimulatedTime) || len(begin) != w.Segments {
		t.Errorf("%d segments up to %g ps, want %d up to %d", len(begin), at, w.Segments, result.SimulatedTime)
	}
	want := map[string]int64{}
	for _, c := range w.Causes {
		want[string(c.Cause)] = c.Time
	}
	if !maps.Equal(sums, want) {
		t.Errorf("causes %v, want %v", sums, want)
	}
	if len(w.Derivatives) == 0 || w.Waits.Total == 0 || !w.Repeatable {
		t.Errorf("%d derivatives, %d ps of waits", len(w.Derivatives), w.Waits.Total)
	}
}

// TestHoldersExplainTheParts checks that those ahead of a message sum to the parts in which it waits, and
// that its way leads from its host to the other.
func TestHoldersExplainTheParts(t *testing.T) {
	r, _, folder := explained(t)
	run := r.Manifest.Runs[0]
	waiting, held := map[string]float64{}, map[string]float64{}
	for name, column := range map[string]string{"why_parts": "part", "why_holders": "cause"} {
		table := run.Tables[name]
		word := table.Columns[slices.IndexFunc(table.Columns, func(c Column) bool { return c.Name == column })].Words
		code, segment := values(t, r, table, column), values(t, r, table, "segment")
		time := values(t, r, table, map[string]string{"why_parts": "part_ps", "why_holders": "wait_ps"}[name])
		for i := range time {
			key := fmt.Sprint(segment[i], " ", word[int(code[i])])
			if name == "why_holders" {
				held[key] += time[i]
			} else {
				waiting[key] += time[i]
			}
		}
	}
	if len(held) == 0 {
		t.Fatal("no message on the path waits for another")
	}
	cause := values(t, r, run.Tables["why_path"], "cause")
	path := run.Tables["why_path"]
	words := path.Columns[slices.IndexFunc(path.Columns, func(c Column) bool { return c.Name == "cause" })].Words
	whole := 0
	for key, time := range held {
		segment := 0
		if _, err := fmt.Sscan(key, &segment); err != nil {
			t.Fatal(err)
		}
		if words[int(cause[segment])] == string(why.Network) { // others may be a part of a message's time only
			if whole++; waiting[key] != time {
				t.Errorf("segment and part %s: others are ahead for %g ps, it waits %g ps", key, time, waiting[key])
			}
		}
	}
	if whole == 0 {
		t.Error("no segment of the network waits")
	}
	wantWays(t, r, folder)
}

// wantWays checks that ways lead from the host of the source to that of the destination.
func wantWays(t *testing.T, r *Report, folder string) {
	t.Helper()
	run := r.Manifest.Runs[0]
	links := tableOf[record.Link](t, folder, record.LinksTable)
	ranks := tableOf[record.Rank](t, folder, record.RanksTable)
	segment, link := values(t, r, run.Tables["why_ways"], "segment"), values(t, r, run.Tables["why_ways"], "link")
	source, target := values(t, r, run.Tables["why_path"], "source"), values(t, r, run.Tables["why_path"], "destination")
	for i := range segment {
		s := int(segment[i])
		l := &links[int(link[i])]
		if first := i == 0 || segment[i-1] != segment[i]; first {
			if host := ranks[int(source[s])].Host; l.Kind != "injection" || l.NIC != host {
				t.Errorf("a message of host %d begins with %+v", host, l)
			}
			continue
		}
		if before := &links[int(link[i-1])]; before.Kind == record.Between && before.ToRouter != l.Router {
			t.Errorf("link %g follows %g, which leads elsewhere", link[i], link[i-1])
		}
		if last := i+1 == len(segment) || segment[i+1] != segment[i]; last {
			if host := ranks[int(target[s])].Host; l.Kind != "ejection" || l.NIC != host {
				t.Errorf("a message to host %d ends with %+v", host, l)
			}
		}
	}
}

// TestMatricesKeepTheirSums checks that cells sum to all waits, and that the rest is in the last lines.
func TestMatricesKeepTheirSums(t *testing.T) {
	r, _, folder := explained(t)
	want := int64(0)
	for _, w := range tableOf[record.Wait](t, folder, record.WaitsTable) {
		want += w.Wait
	}
	list := r.Manifest.Runs[0].Why.Matrices
	if len(list) != 4 {
		t.Fatalf("%d matrices, want those of ranks, hosts, links and roots", len(list))
	}
	for _, m := range list {
		sum, columns := int64(0), make([]int64, len(m.Columns))
		for i, row := range m.Cells {
			line := int64(0)
			for k, v := range row {
				line += v
				columns[k] += v
			}
			if sum += line; line != m.Rows[i].Time {
				t.Errorf("%s: row %s has %d ps, want %d", m.Name, m.Rows[i].Name, line, m.Rows[i].Time)
			}
		}
		for k, v := range columns {
			if v != m.Columns[k].Time {
				t.Errorf("%s: column %s has %d ps, want %d", m.Name, m.Columns[k].Name, v, m.Columns[k].Time)
			}
		}
		if sum != want || m.Total != want || want == 0 {
			t.Errorf("%s: %d ps of %d, want %d", m.Name, sum, m.Total, want)
		}
		if last := m.Rows[len(m.Rows)-1]; len(m.Rows) != mostBlamed+1 || last.Kind != lineOthers || last.ID < 2 {
			t.Errorf("%s: %d rows, the last %+v", m.Name, len(m.Rows), last)
		}
	}
}

// TestShortNeighboursAreMerged draws paths, and checks what merging keeps.
func TestShortNeighboursAreMerged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var path []why.Segment
		at, long := int64(0), 0
		for i := range rapid.IntRange(1, 300).Draw(t, "segments") {
			time := int64(rapid.SampledFrom([]int{1, 2, 3, 50, 100_000}).Draw(t, "time"))
			parts := &why.Parts{}
			parts[causes.Wire] = time
			path = append(path, why.Segment{Rank: int32(i), Begin: at, End: at + time, Time: time, Parts: parts})
			if at += time; time == 100_000 {
				long++
			}
		}
		most := rapid.IntRange(1, 200).Draw(t, "most")
		list := merged(path, most)
		if len(list) != min(most, len(path)) {
			t.Fatalf("%d segments of %d, want at most %d", len(list), len(path), most)
		}
		end, count, alone := int64(0), 0, 0
		for i := range list {
			s := &list[i]
			if s.Begin != end || s.Time != s.End-s.Begin || s.Parts[causes.Wire] != s.Time {
				t.Fatalf("segment %+v after %d ps", s, end)
			}
			if end, count = s.End, count+s.together; s.together == 1 && s.Time == 100_000 {
				alone++
			}
		}
		if end != at || count != len(path) {
			t.Fatalf("%d segments up to %d ps, want %d up to %d", count, end, len(path), at)
		}
		if most > 2*long+1 && alone != long {
			t.Fatalf("%d of %d long segments stay alone, of %d", alone, long, most)
		}
	})
}

// TestWithoutAPath checks what the report says where there is no path.
func TestWithoutAPath(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "plain")
	runInto(t, folder)
	if w := mustMake(t, folder).Manifest.Runs[0].Why; !w.NotRecorded || !w.Repeatable || w.Folder != folder ||
		!strings.Contains(w.Missing, "not recorded") {
		t.Errorf("without causes: %+v", w)
	}
	e, err := fabricast.Parse("x.yaml", "network: {topology: {kind: torus, dims: [3, 3]}}\n"+
		"traffic: {pattern: uniform, load: 0.1}\n")
	if err != nil {
		t.Fatal(err)
	}
	folder = filepath.Join(t.TempDir(), "traffic")
	if _, err := e.Run(t.Context(), fabricast.Record(folder)); err != nil {
		t.Fatal(err)
	}
	if w := mustMake(t, folder).Manifest.Runs[0].Why; w.NotRecorded || !strings.Contains(w.Missing, "no ranks") {
		t.Errorf("of traffic: %+v", w)
	}
}

// TestLateRanksInWords checks the sentences about ranks that start late.
func TestLateRanksInWords(t *testing.T) {
	r, _, _ := explained(t)
	words := strings.Join(r.Manifest.Runs[0].Why.Sentences, "\n")
	for _, want := range []string{"The critical path begins with rank", "at the end", "waits for others", "{link ", "depends most on"} {
		if !strings.Contains(words, want) {
			t.Errorf("nothing says %q:\n%s", want, words)
		}
	}
	for _, c := range []struct {
		ranks []int32
		want  string
	}{
		{[]int32{4}, "Rank 4"},
		{[]int32{40, 41, 42, 47}, "Ranks 40 to 42, 47"},
		{[]int32{1, 3, 5, 7, 9, 11, 13, 15}, "Ranks 1, 3, 5, 7, 9, 11 and 2 more"},
	} {
		if got := why.RankNames(c.ranks); got != c.want {
			t.Errorf("%v: %q, want %q", c.ranks, got, c.want)
		}
	}
}
