package report

import (
	"fmt"

	"fabricast"
)

// goodput adds what becomes of a job with checkpoints to a table.
func goodput(t *table, g *fabricast.Goodput) {
	if g == nil {
		return
	}
	every := fmt.Sprintf("a checkpoint of %s every %s", Seconds(g.Save), Seconds(g.Period))
	if g.MTTF > 0 {
		every += ", a failure every " + Seconds(g.MTTF)
	}
	if !g.Ends {
		t.add("goodput", "none", "the job never ends: "+every)
		return
	}
	t.add("goodput", Percent(g.Goodput), fmt.Sprintf(
		"%s of work take %s: %s, %s failures lose %s", Seconds(g.Work), Seconds(g.Time), every,
		significant(g.Failures), Seconds(g.Lost),
	))
	if g.Expected > 0 {
		t.add("", "", "by Daly's formula "+Percent(g.Expected))
	}
}
