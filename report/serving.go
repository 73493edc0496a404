package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fabricast"
)

// served adds the results of a served model to a table.
func served(t *table, r *fabricast.ServingResult) {
	if r == nil {
		return
	}
	t.add("requests", fmt.Sprint(r.Requests), fmt.Sprintf(
		"in %s: %s requests/s, %s tokens/s", Time(r.Duration), significant(r.RequestsPerSecond), significant(r.TokensPerSecond),
	))
	latency := func(name string, d *fabricast.ServingTimes) {
		t.add("  "+name, "mean "+Time(d.Mean), fmt.Sprintf(
			"median %s, 90 %% %s, 99 %% %s, maximum %s", Time(d.P50), Time(d.P90), Time(d.P99), Time(d.Max),
		))
	}
	latency("first token", &r.FirstToken)
	latency("token after token", &r.TokenTime)
	latency("all tokens", &r.Latency)
	if r.Transfer != nil {
		latency("keys and values", r.Transfer)
	}
	if g := r.Goodput; g != nil {
		t.add("  within objectives", Percent(g.Share), significant(g.RequestsPerSecond)+" requests/s")
	}
	b, c := &r.Batch, &r.Cache
	t.add("  iterations", fmt.Sprint(r.Iterations), fmt.Sprintf(
		"of %s requests (at most %d), %s tokens", significant(b.MeanRequests), b.MaxRequests, significant(b.MeanTokens),
	))
	t.add("  cache in use", "mean "+Percent(c.Mean), fmt.Sprintf(
		"at most %s of %d tokens an instance; a GPU has %s of parameters, %s of cache",
		Percent(c.Max), c.Capacity, Size(int64(r.Memory.Weights)), Size(int64(r.Memory.Cache)),
	))
	var waits []string
	for _, name := range slices.Sorted(maps.Keys(r.Exposed)) {
		if wait := r.Exposed[name]; wait > 0 {
			waits = append(waits, name+" "+Time(wait))
		}
	}
	if len(waits) == 0 {
		waits = []string{"none"}
	}
	t.add("  computation", Time(r.Computation), fmt.Sprintf(
		"exposed communication %s: %s", Percent(r.ExposedShare), strings.Join(waits, ", "),
	))
}
