package traces

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/internal/cli/ending"
	"fabricast/internal/humanize"
	"fabricast/internal/units"
	"fabricast/trace"
	"fabricast/trace/convert"
	"fabricast/trace/formats"
)

// outEndings explains in the help text which file name extension selects which format.
var outEndings = "OUT ends with the format: " + convert.Native + " (Fabricast's own), " +
	convert.OTF2 + " (an archive of OTF2, a folder), " + convert.GOAL + " (GOAL, as text), " +
	convert.GOALBinary + " (GOAL, binary) or " + convert.TimeIndependent +
	" (time-independent, of SimGrid)."

func newTraceConvert() *cobra.Command {
	var given cmdline.Operations
	cmd := &cobra.Command{
		Use:     "convert IN OUT",
		Short:   "Write a trace in another format",
		Long:    "Write a trace in another format. " + outEndings,
		Example: "  fabricast trace convert traces/stencil.otf2 stencil.goal",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return writeTrace(cmd, args[0], args[1], given, convert.Part{})
		},
	}
	cmdline.OperationsFlag(cmd.Flags(), &given)
	return cmd
}

// mostRepeat limits the number of repetitions of a part.
const mostRepeat = 1_000_000

// cutFlags holds the flags of fabricast trace cut.
type cutFlags struct {
	part     convert.Part
	from, to string
}

func newTraceCut() *cobra.Command {
	var f cutFlags
	cmd := &cobra.Command{
		Use:   "cut IN OUT",
		Short: "Write a part of a trace: a region of the program, a time, or what is repeated",
		Long: "Write what the ranks of a trace do within a region of the program or within a time, " +
			"once or several times. Messages and collectives of which the part has only one end, or only " +
			"some ranks, are left out. " + outEndings,
		Example: "  fabricast trace cut traces/stencil.otf2 loop.fbt --region TRACER_Loop --iterations 3\n" +
			"  fabricast trace cut traces/stencil.otf2 loop.fbt --from 20ms --to 35ms --repeat 10",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd, args[0]); err != nil {
				return cmdline.Usage(cmd, err)
			}
			return writeTrace(cmd, args[0], args[1], cmdline.Operations{}, f.part)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.part.Region, "region", "", "keep only what ranks do within this region")
	cmdline.Count(flags, &f.part.Iterations, "iterations", 1, "keep only the first times that a rank enters "+
		"the region (default: all)")
	flags.StringVar(&f.from, "from", "", "keep only what a rank begins this long after its first "+
		"event or later, such as 20ms")
	flags.StringVar(&f.to, "to", "", "keep only what a rank begins less than this after its first "+
		"event, such as 35ms")
	f.part.Repeat = 1
	cmdline.CountUpTo(flags, &f.part.Repeat, "repeat", 1, mostRepeat, "how many times the part follows itself")
	return cmd
}

// check sets the bounds of the selected part and checks the flags.
func (f *cutFlags) check(cmd *cobra.Command, in string) error {
	for _, t := range []struct {
		name, text string
		value      *int64
	}{{"from", f.from, &f.part.From}, {"to", f.to, &f.part.To}} {
		if t.text == "" {
			continue
		}
		time, err := units.ParseTime(t.text)
		if err != nil || time < 0 {
			return fmt.Errorf("found --%s %s, expected a time such as 20ms", t.name, t.text)
		}
		*t.value = int64(time)
	}
	p := &f.part
	switch {
	case p.Region == "" && p.From == 0 && f.to == "" && !cmd.Flags().Changed("repeat"):
		return fmt.Errorf(
			"found no --region, --from, --to or --repeat, expected one of them: see fabricast trace "+
				"info %s", in,
		)
	case p.Iterations > 0 && p.Region == "":
		return fmt.Errorf("found --iterations %d without --region, expected the region that is "+
			"entered", p.Iterations)
	case f.to != "" && p.To <= p.From:
		return fmt.Errorf("found --to %s, expected a time after --from", f.to)
	}
	return nil
}

// tellDropped prints what the written trace omits, and where its predicted time differs.
func tellDropped(cmd *cobra.Command, d convert.Dropped) {
	for _, n := range []struct {
		count int64
		one   string
		why   string
	}{
		{d.Sends, "send", "left out: their receives are not in the part"},
		{d.Receives, "receive", "left out: their sends are not in the part"},
		{d.Collectives, "call", "of collectives left out: they are not in the part on all ranks"},
		{d.Unknown, "receive", "of any source or tag kept: what they receive may not be in the part"},
		{d.AsTasks, "receive", "written as tasks, which pay for messages as they come and not at the " +
			"program's wait: on models other than loggops predictions differ by some overheads"},
		{d.Rounded, "rank", "with computation that takes fractions of nanoseconds, which the format " +
			"does not have: predictions differ by them"},
	} {
		if n.count > 0 {
			console.TellNote(cmd, fmt.Sprintf("trace: %s %s", humanize.Plural(int(n.count), n.one), n.why))
		}
	}
}

// writeTrace writes a part of a trace.
func writeTrace(cmd *cobra.Command, in, out string, given cmdline.Operations, part convert.Part) error {
	if !strings.Contains(out, ".") {
		return cmdline.Usage(
			cmd,
			fmt.Errorf(
				"found %s, expected a name that ends with one of %s",
				out, strings.Join(convert.Endings, ", "),
			),
		)
	}
	rates, err := given.Rates()
	if err != nil {
		return &ending.UsageError{Err: err}
	}
	t, err := formats.Open(in, trace.Options{Operations: rates})
	if err != nil {
		return &ending.UsageError{Err: err}
	}
	if part.Region != "" {
		if err := EntersRegions(cmd.Context(), t, []string{part.Region}); err != nil {
			return cmdline.UsageUnlessEnded(cmd, err)
		}
	}
	dropped, err := convert.Write(out, t, part)
	tellDropped(cmd, dropped)
	return err
}
