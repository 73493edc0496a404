package traces

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fabricast/internal/atomicfile"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/ending"
	"fabricast/internal/humanize"
	"fabricast/internal/printable"
	"fabricast/trace"
	"fabricast/trace/formats"
	"fabricast/trace/summary"
)

// traceSchema is the schema name and version of the JSON of fabricast trace info.
const traceSchema = "fabricast.trace-info/1"

func NewTrace() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trace",
		Short: "Look at traces of programs",
		Long: "Look at traces of programs, in these formats: " + strings.Join(formats.Names(), ", ") +
			".\nfabricast run FILE.yaml --trace PATH replays one.",
	}
	cmd.AddCommand(newTraceInfo(), newTraceConvert(), newTraceCut())
	return cmd
}

// traceInfoFlags holds the flags of fabricast trace info.
type traceInfoFlags struct {
	json bool
	svg  string
}

func newTraceInfo() *cobra.Command {
	var f traceInfoFlags
	cmd := &cobra.Command{
		Use: "info PATH",
		Short: "Print what a trace holds: ranks, messages, collectives, computation, what cannot " +
			"be replayed",
		Example: "  fabricast trace info traces/stencil.otf2 --svg matrix.svg",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print the summary as JSON")
	cmd.Flags().StringVar(&f.svg, "svg", "", "draw the bytes sent from rank to rank into this `file`")
	return cmd
}

// matrixCells is the maximum number of rows and columns in the image of the communication matrix.
const matrixCells = 256

func (f *traceInfoFlags) run(cmd *cobra.Command, path string) error {
	if f.svg != "" && !strings.HasSuffix(f.svg, ".svg") {
		return cmdline.Usage(cmd, fmt.Errorf("found --svg %s, expected a file that ends in .svg", f.svg))
	}
	source, err := formats.Open(path, trace.Options{})
	if err != nil {
		return &ending.UsageError{Err: err}
	}
	s, err := summary.Read(cmd.Context(), source, runtime.GOMAXPROCS(0), matrixCells)
	if err != nil {
		return err
	}
	if f.svg != "" {
		if err := atomicfile.Write(f.svg, s.Matrix.SVG); err != nil {
			return err
		}
	}
	if f.json {
		return traceJSON(cmd.OutOrStdout(), s)
	}
	return traceText(cmd.OutOrStdout(), s)
}

// traceText writes a summary of a trace as text.
func traceText(w io.Writer, s *summary.Summary) error {
	var b strings.Builder
	line := func(name, value, more string) { fmt.Fprintf(&b, "%-16s %-19s %s\n", name, value, more) }
	line("format", s.Format, "")
	line("ranks", humanize.Count(s.Ranks), humanize.Plural(s.Groups, "communicator"))
	line("events", humanize.Count(s.Events), "")
	if s.Recorded > 0 {
		line(
			"recorded time",
			humanize.Time(s.Recorded),
			fmt.Sprintf(
				"%s of it is computation",
				humanize.Percent(float64(s.Compute)/float64(max(1, s.RecordedAll))),
			),
		)
	}
	line(
		"computation",
		humanize.Time(s.Compute/int64(s.Ranks)),
		fmt.Sprintf("a rank in the mean; %s to %s", humanize.Time(s.Least), humanize.Time(s.Most)),
	)
	line(
		"messages",
		humanize.Count(s.Messages),
		fmt.Sprintf("%s, %s", humanize.Size(s.Bytes), humanize.Plural(int(s.Receives), "receive")),
	)
	for _, k := range slices.Sorted(maps.Keys(s.Collectives)) {
		c := s.Collectives[k]
		line(
			k.String(), humanize.Count(c.Calls),
			fmt.Sprintf("calls by all ranks, %s in the mean", humanize.Size(c.Bytes/c.Calls)),
		)
	}
	for _, name := range byCount(s.Regions) {
		line("region", humanize.Count(s.Regions[name]), printable.Text(name))
	}
	for _, name := range byCount(s.Skipped) {
		line("not replayed", humanize.Count(s.Skipped[name]), printable.Text(name))
	}
	if n := s.Faults.NegativeTimes; n > 0 {
		line("put right", humanize.Count(n), "computations that ended before they began")
	}
	if n := s.Faults.Unfinished; n > 0 {
		line("left out", humanize.Count(n), "receives that never completed")
	}
	for _, err := range s.Damage {
		line("damaged", "", printable.Text(err.Error()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// byCount returns the names by descending count.
func byCount(counts map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// traceJSON writes a summary of a trace as JSON. Times are in ps, sizes in bytes.
func traceJSON(w io.Writer, s *summary.Summary) error {
	collectives := map[string]any{}
	for k, c := range s.Collectives {
		collectives[k.String()] = map[string]int64{"calls": c.Calls, "bytes": c.Bytes}
	}
	damage := []string{}
	for _, err := range s.Damage {
		damage = append(damage, err.Error())
	}
	text, err := json.MarshalIndent(map[string]any{
		"schema": traceSchema, "format": s.Format, "ranks": s.Ranks, "communicators": s.Groups,
		"events":      s.Events,
		"recorded_ps": s.Recorded, "recorded_all_ranks_ps": s.RecordedAll,
		"compute_ps": s.Compute, "compute_least_ps": s.Least, "compute_most_ps": s.Most,
		"messages": s.Messages, "bytes": s.Bytes, "receives": s.Receives,
		"collectives": collectives, "regions": s.Regions, "not_replayed": s.Skipped,
		"negative_times": s.Faults.NegativeTimes, "unfinished_receives": s.Faults.Unfinished,
		"damage": damage,
	}, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
