package browser

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"fabricast"
)

// TestJobs opens the report of several jobs, and holds what it tells of each, and of the links that
// they share, against the result.
func TestJobs(t *testing.T) {
	e, err := fabricast.Load("../../examples/jobs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "jobs")
	r, err := e.Run(t.Context(), fabricast.Record(dir), fabricast.Interference())
	if err != nil {
		t.Fatal(err)
	}
	address, _ := report(t, dir)
	ctx := browse(t)
	open(t, ctx, address)
	picture(t, ctx, "jobs-light")
	count := func(name string) int {
		return evaluate[int](t, ctx, fmt.Sprintf(`document.querySelectorAll('%s').length`, id(name)))
	}
	if n := count("job-lane"); n != len(r.Jobs) {
		t.Errorf("%d lanes, want %d", n, len(r.Jobs))
	}
	text := evaluate[string](t, ctx, fmt.Sprintf(`document.querySelector('%s').innerText`, id("jobs-table")))
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if !strings.Contains(text, j.Name) {
			t.Errorf("the table does not tell of %s: %s", j.Name, text)
		}
		lane := fmt.Sprintf(`%s [data-what="%s"]`, id("job-lane"), j.Name)
		if ps := number(t, ctx, lane, "data-ps"); ps != float64(j.Time) {
			t.Errorf("%s took %.0f ps, want %d", j.Name, ps, j.Time)
		}
	}
	const most = 20
	if n := count("job-link"); n == 0 || n != min(most, len(r.SharedLinks)) {
		t.Errorf("%d shared links, want the first of %d", n, len(r.SharedLinks))
	}
	themes(t, ctx, "jobs")
}
