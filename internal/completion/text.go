package completion

import (
	"fmt"
	"io"
	"text/tabwriter"

	"fabricast/internal/humanize"
	"fabricast/internal/units"
)

// Text writes completion times and slowdowns by size.
func Text(w io.Writer, t *Times) error {
	if t.All.Flows == 0 {
		_, err := fmt.Fprintf(w, "No message between hosts, %s within hosts.\n",
			humanize.Plural(int(t.Local), "message"))
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "size\tflows\tmedian\t95 %\t99 %\tmaximum\tslowdown: mean\tmedian\t95 %\t99 %\tmaximum\t")
	row := func(name string, c *Class) {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t\n",
			name, humanize.Count(int(c.Flows)),
			humanize.Time(c.Completion.P50), humanize.Time(c.Completion.P95),
			humanize.Time(c.Completion.P99), humanize.Time(c.Completion.Max),
			c.Slowdown.Mean, c.Slowdown.P50, c.Slowdown.P95, c.Slowdown.P99, c.Slowdown.Max)
	}
	for i := range t.BySize {
		row(fmt.Sprintf("up to %s", units.Bytes(t.BySize[i].To-1)), &t.BySize[i])
	}
	row("all", &t.All)
	if err := table.Flush(); err != nil {
		return err
	}
	if !t.Fixed {
		fmt.Fprintln(w, "Routes differ from message to message: the time on an idle network is that of one of them.")
	}
	if t.Local > 0 {
		fmt.Fprintf(w, "Not counted: %s within hosts.\n", humanize.Plural(int(t.Local), "message"))
	}
	return nil
}
