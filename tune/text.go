package tune

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"fabricast/internal/humanize"
	"fabricast/internal/units"
)

// mostCosts is how many algorithms the text lists with their costs.
const mostCosts = 12

// Text writes the result as text.
func (r *Result) Text(w io.Writer) error {
	fmt.Fprintf(w, "%s on %s: %d points run", r.Collective, r.File, r.Run)
	if r.Skipped > 0 {
		fmt.Fprintf(w, ", %d skipped, which cannot win", r.Skipped)
	}
	if r.Failed > 0 {
		fmt.Fprintf(w, ", %d failed", r.Failed)
	}
	fmt.Fprint(w, "\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ranks\tfrom\tfastest\tlead\tover")
	for i, x := range r.Rules {
		ranks := ""
		if i == 0 || r.Rules[i-1].Shape != x.Shape || r.Rules[i-1].Ranks != x.Ranks {
			ranks = place(x.Shape, x.Ranks)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", ranks, size(x.From), x.Algorithm, x.lead(), cmp.Or(x.Second, "-"))
	}
	fmt.Fprintln(t, "\nif chosen for all\tmean\tworst\tat\tcells")
	for _, c := range r.Costs[:min(len(r.Costs), mostCosts)] {
		c.write(t, string(c.WorstAlgorithm))
	}
	if more := len(r.Costs) - mostCosts; more > 0 {
		fmt.Fprintf(t, "(%d more are in the JSON)\n", more)
	}
	if len(r.Compared) > 0 {
		fmt.Fprintln(t, "\nif chosen by\tmean\tworst\tat\tcells")
	}
	for _, c := range r.Compared {
		c.write(t, c.Name)
	}
	return t.Flush()
}

// lead formats the lead of a rule.
func (x *Rule) lead() string {
	least, most := humanize.Percent(x.LeastLead), humanize.Percent(x.MostLead)
	switch {
	case x.Second == "":
		return "-"
	case least == most:
		return least
	}
	return least + " to " + most
}

// write writes the cost as a row, under a name.
func (c *Cost) write(w io.Writer, name string) {
	bound := ""
	if c.AtLeast {
		bound = ">= "
	}
	at := fmt.Sprintf("%s ranks, %s", place(c.WorstShape, c.WorstRanks), size(c.WorstBytes))
	if name != string(c.WorstAlgorithm) {
		at += ", " + string(c.WorstAlgorithm)
	}
	if c.Worst == 0 {
		at = "-"
	}
	fmt.Fprintf(w, "%s\t%s+%s\t%s+%s\t%s\t%d\n",
		name, bound, humanize.Percent(c.Mean), bound, humanize.Percent(c.Worst), at, c.Cells)
}

// place names a number of ranks of a network.
func place(shape string, ranks int) string {
	if shape == "" {
		return strconv.Itoa(ranks)
	}
	return shape + ": " + strconv.Itoa(ranks)
}

// size formats a number of bytes.
func size(n int64) string { return units.Bytes(n).String() }
