package experiment

import (
	"fmt"
	"strings"
	"testing"

	"fabricast/internal/config"
	"fabricast/internal/draws"
)

// writtenBases are experiments to which TestWhatIsWrittenIsTheSame gives further fields.
var writtenBases = []string{
	`{network: {topology: {dims: [4, 4]}}, workload: {program: alltoall, size: 4B}}`,
	`{network: {topology: {dims: [4, 4]}}, traffic: {pattern: uniform, load: 10%}}`,
	`{network: {topology: {dims: [4, 4]}, router: {buffers: pfc}}, workload: {program: alltoall, size: 4B}}`,
	`{network: {topology: {dims: [4, 4]}, router: {buffers: lossy, shared: {size: 1MiB}}},
	  workload: {program: alltoall, size: 4B}}`,
	`{network: {topology: {dims: [4, 4]}}, node: {protocol: {setup: 1us}}, workload: {program: alltoall, size: 4B}}`,
	`{network: {topology: {kind: fat-tree, radix: 4, levels: 2}, in_network: {kind: sharp-llt}},
	  workload: {program: allreduce, size: 4B}}`,
	`{network: {model: loggp}, workload: {program: alltoall, size: 4B}, ranks: 4}`,
	`{network: {topology: {dims: [4, 4]}}, jobs: [{name: a, ranks: 4, workload: {program: alltoall, size: 4B}},
	  {name: b, ranks: 4, workload: {program: barrier}}]}`,
	`{network: {machine: dgx-superpod}, workload: {program: allreduce, size: 4B}, ranks: 8}`,
}

// TestWhatIsWrittenIsTheSame gives each field each of some values: what is written of the experiment,
// before and after its defaults are filled in, has to be read as the same one. Each commit does so with
// another base.
func TestWhatIsWrittenIsTheSame(t *testing.T) {
	bases := writtenBases
	if !draws.Long() {
		i := int(draws.Round() % uint64(len(bases)))
		bases = bases[i : i+1]
	}
	for _, base := range bases {
		right := 0
		for _, f := range Fields() {
			if strings.Contains(f.Path, "[]") || strings.Contains(f.Path, "NAME") || strings.HasSuffix(f.Path, "file") {
				continue
			}
			for _, value := range valuesOf(f) {
				if sameWhenWritten(t, base, f.Path+"="+value) {
					right++
				}
			}
		}
		if right < 60 {
			t.Errorf("%s: only %d values could be tried", base, right)
		}
	}
}

// valuesOf returns values that a field may have, zeros among them.
func valuesOf(f Field) []string {
	list := []string{"0", "1", "3", "0s", "1us", "0B", "3KiB", "3GB/s", "30%", "true", "false"}
	for _, w := range f.Words {
		list = append(list, w.Word)
	}
	if _, value, ok := strings.Cut(f.Set, "="); ok {
		list = append(list, value)
	}
	return list
}

// sameWhenWritten reads a base with an assignment, writes it and compares what is read of that. It
// reports false if that value is wrong.
func sameWhenWritten(t *testing.T, base, assignment string) bool {
	t.Helper()
	e, err := readText(base, assignment)
	if err != nil {
		return false
	}
	resolved, err := Resolve(*e)
	if err != nil {
		return false
	}
	want := writtenText(t, &resolved.Experiment)
	for _, form := range []*Experiment{e, &resolved.Experiment} {
		text := writtenText(t, form)
		again, err := readText(text)
		if err != nil {
			t.Errorf("%s with %s cannot be read again: %v\n%s", base, assignment, err, text)
			return true
		}
		other, err := Resolve(*again)
		if err != nil {
			t.Errorf("%s with %s is wrong when read again: %v\n%s", base, assignment, err, text)
			return true
		}
		if got := writtenText(t, &other.Experiment); got != want {
			t.Errorf("%s with %s is read as another experiment: %s", base, assignment, firstOther(got, want))
		}
	}
	return true
}

func readText(text string, assignments ...string) (*Experiment, error) {
	root, err := config.Parse(&config.Source{Name: "e.yaml", Text: text})
	if err != nil {
		return nil, err
	}
	return Decode(root, ".", assignments, WholeFile, nil)
}

func writtenText(t *testing.T, e *Experiment) string {
	t.Helper()
	text, err := e.YAML()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// firstOther returns the first line in which two texts differ.
func firstOther(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d is %q, want %q", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a), len(b))
}
