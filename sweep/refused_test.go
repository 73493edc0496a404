package sweep_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fabricast"
	"fabricast/sweep"
)

// Points that are refused, such as layouts of a model that do not fit into a GPU's memory, end a sweep
// only if it does not keep them, or if there are no others.
func TestRefusedPoints(t *testing.T) {
	const text = `
experiment:
  network: {topology: {dims: [4]}}
  workload: {program: training, model: tiny, accelerator: {memory: 80KiB}}
axes:
  - {field: workload.parallel.tensor, values: [1, 3, 4]}
`
	open := func(text string) *sweep.File {
		f, err := open(t, text)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	var wrong *fabricast.ConfigError
	if _, err := open(text).Run(context.Background(), sweep.Options{}); !errors.As(err, &wrong) {
		t.Errorf("got %v, want that points are refused", err)
	}
	last := sweep.Progress{}
	table, err := open(text+"refused: true\n").Run(
		context.Background(), sweep.Options{Progress: func(p sweep.Progress) { last = p }},
	)
	if err != nil {
		t.Fatal(err)
	}
	for i, expected := range []string{"at most the", "a product of 4", ""} {
		switch r := table.Rows[i]; {
		case expected == "" && (r.Err != nil || r.Result == nil):
			t.Errorf("row %d: %v", i, r.Err)
		case expected != "" && (r.Err == nil || !strings.Contains(r.Err.Error(), expected)):
			t.Errorf("row %d: %v, want a refusal that expects %q", i, r.Err, expected)
		}
	}
	var printed, csv strings.Builder
	if err := errors.Join(table.Text(&printed), table.CSV(&csv)); err != nil {
		t.Fatal(err)
	}
	if said := "workload.parallel: found "; strings.Count(printed.String(), " "+said) != 2 || strings.Count(csv.String(), said) != 2 {
		t.Errorf("tables do not say why two points are refused:\n%s\n%s", &printed, &csv)
	}
	if last.Done != 3 || last.Failed != 0 || last.Work < 0.99 {
		t.Errorf("%+v at the end", last)
	}
	if _, err := open(strings.Replace(text, ", 4]", "]", 1)+"refused: true\n").Points(
		context.Background(), false, false,
	); !errors.As(err, &wrong) {
		t.Errorf("got %v, want an error, as all points are refused", err)
	}
}
