package sweep

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"fabricast"
	"fabricast/internal/config"
	"fabricast/internal/input"
)

// refused checks that an error is a configuration error whose text is not too long.
func refused(t *testing.T, err error) {
	t.Helper()
	var config *fabricast.ConfigError
	if !errors.As(err, &config) || err.Error() == "" || len(err.Error()) > 1<<20 {
		t.Fatalf("got %v, want a short ConfigError", err)
	}
}

// FuzzSweep checks that any text results in either the points of a sweep or an error.
func FuzzSweep(f *testing.F) {
	const one = "experiment: {network: {topology: {dims: [2]}}, workload: {program: barrier}}\n"
	f.Add(
		one + "axes: [{field: seed, values: [1, 2]}, {field: node.ranks, from: 1, to: 4, step: 1}]\nonly: seed < 2\nweight: seed * 2\n",
	)
	f.Add(
		one + "axes: [{name: c, cases: [{label: a, set: {seed: 3}, with: {x: 4kB}}]}]\nlarge: x > 1\ncolumns: [{name: b, value: x / 2, at: {c: a}}]\n",
	)
	f.Add(one + "axes: [{field: workload.size, from: 1kB, to: 1e9kB, factor: 1.000000001}]\n")
	f.Add(
		one + "axes: [{field: seed, values: [1]}]\nquick: {set: {seed: 4}, axes: [{field: seed, values: [2]}]}\nplots: [{name: ../x, x: seed, y: seed}]\nreference: [{name: r, file: r.csv, on: [seed]}]\n",
	)
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "x.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := Open(path)
		if err != nil {
			refused(t, err)
			return
		}
		combinations := 1
		for i := range file.Axes {
			if combinations *= len(file.Axes[i].values()); combinations > 100 {
				return // only skipped to save time
			}
		}
		if _, err := file.references(); err != nil {
			refused(t, err)
		}
		points, err := file.Points(context.Background(), false, true)
		if err != nil {
			refused(t, err)
		} else if len(points) == 0 || len(points) > combinations {
			t.Fatalf("%d points of %d combinations", len(points), combinations)
		}
	})
}

// FuzzRange checks that any range results in either a few ascending values within it or a problem.
func FuzzRange(f *testing.F) {
	f.Add("64B", "1024B", "", "4")
	f.Add("0.1", "1", "0.1", "")
	f.Add("1", "99999999999999999999999999999999999999999999", "", "1.000000000000001")
	f.Add("-1", "1", "0.0000000000000001", "")
	f.Fuzz(func(t *testing.T, from, to, step, factor string) {
		a := Axis{Field: "seed", From: from, To: to, Step: step, Factor: factor}
		values, problem := a.spread()
		if problem != nil {
			if problem.Field == "" || problem.Found == "" || problem.Expected == "" {
				t.Fatalf("got %+v", problem)
			}
			return
		}
		if len(values) == 0 || len(values) > mostValues {
			t.Fatalf("%d values", len(values))
		}
		high, _, _ := number(to)
		last, _, ok := number(values[len(values)-1].Text)
		first, _, _ := number(values[0].Text)
		if !ok || last.Cmp(first) < 0 || last.Cmp(high) > 0 && last.FloatString(8) != high.FloatString(8) {
			t.Fatalf("from %s to %s: %s to %s", from, to, values[0].Text, values[len(values)-1].Text)
		}
	})
}

// FuzzExpression checks that any text results in an error or a value, the same one each time.
func FuzzExpression(f *testing.F) {
	for _, text := range []string{
		"x * 2 + round(y)", `name == "a" ? x : -y`, "x / 0", "list[1]", "$env", "min(x, y) ** 9999", "x in [1, 2]",
		`toJSON(toJSON("\""))`, `replace(replace("a", "a", "aaaa"), "a", "aaaa")`, "now()", "1..999999999", "x?.y ?? z.w", `name matches "(a*)*b"`,
	} {
		f.Add(text, 1.5, 2.0)
	}
	f.Fuzz(func(t *testing.T, text string, x, y float64) {
		var file File
		e, err := file.compile("only", text, []string{"x", "y", "name", "list"})
		if err != nil {
			refused(t, err)
			return
		}
		env := map[string]any{"x": x, "y": y, "name": "a", "list": map[string]any{"a": x}}
		first, err := e.truth(env)
		again, errAgain := e.truth(env)
		if first != again || (err == nil) != (errAgain == nil) {
			t.Fatalf("%v, %v, then %v, %v", first, err, again, errAgain)
		}
		if e == nil {
			return
		}
		n, err := e.number(env)
		m, errAgain := e.number(env)
		if n != m && !(math.IsNaN(n) && math.IsNaN(m)) || (err == nil) != (errAgain == nil) {
			t.Fatalf("%v, %v, then %v, %v", n, err, m, errAgain)
		}
	})
}

// FuzzReference checks that any text results in either a problem, or a table in which each row is
// found by its key.
func FuzzReference(f *testing.F) {
	f.Add("size,time\n1KiB,5us\n# none\n2KiB,\n", "size", "1024")
	f.Add("a,a\n\"x\ny\",2\n", "a", "x\ny")
	f.Add("a\nNaN\n", "b", "NaN")
	f.Add("a,b\n1\n", "a", "1")
	f.Add("\"\"\n0\n", "\x80", "")
	f.Fuzz(func(t *testing.T, text, on, value string) {
		r := &reference{Reference: Reference{Name: "r", On: []string{on}}}
		if problem := r.parse("x.csv", text); problem != nil {
			if _ = (config.Problems{*problem}).Error(); problem.Field == "" || problem.Expected == "" {
				t.Fatalf("got %+v", problem)
			}
			return
		}
		v := Value{Label: value, Number: quantity(value)}
		variables := map[string]any{on: v.value()}
		r.join(variables)
		if on == "r" {
			return // the table and the axis have the same name
		}
		if found := variables["r"].(map[string]any); len(found) == 0 || len(found) > len(r.columns) {
			t.Fatalf("%d figures of %d columns", len(found), len(r.columns))
		}
	})
}

// TestReferenceTakesLittleMemory reads tables of the maximum size in several shapes, and compares
// the allocated memory with their size.
func TestReferenceTakesLittleMemory(t *testing.T) {
	most := int(input.Reference.Most())
	f := func(name, text string, refused bool) {
		t.Helper()
		r := &reference{Reference: Reference{Name: "r", On: []string{"a"}}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		problem := r.parse("x.csv", text)
		runtime.ReadMemStats(&after)
		if (problem != nil) != refused {
			t.Errorf("%s: problem %v", name, problem)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 16*uint64(most) {
			t.Errorf("%s: %d bytes allocated for a table of %d", name, took, len(text))
		}
	}
	f("shortest rows", "a\n"+strings.Repeat("1\n", most/2-1), true)
	f("as many rows as may be", "a\n"+strings.Repeat("1\n", mostReferenceRows), false)
	f("one row more", "a\n"+strings.Repeat("1\n", mostReferenceRows+1), true)
	f("shortest cells", "a"+strings.Repeat(",", most-1), true)
	f(
		"as many cells as may be",
		strings.Repeat("a"+strings.Repeat(",1", 999)+"\n", mostReferenceCells/1000), false,
	)
	f("one long number", "a\n"+strings.Repeat("1", most-2), false)
	f(
		"one long cell in quotes",
		"a\n\""+strings.Repeat("\n", mostReferenceCells-2)+strings.Repeat(
			"x",
			most-mostReferenceCells-3,
		)+"\"",
		false,
	)
	f("an open quote", "a\n\""+strings.Repeat("x", most-3), true)
	f("long words", "a,b\n"+strings.Repeat("1,"+strings.Repeat("x", 997)+"\n", most/1000-1), false)
}
