package runs

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/internal/cli/cmdline"
	"fabricast/internal/cli/console"
	"fabricast/report"
)

const (
	watchInterval = 250 * time.Millisecond
	watchedLinks  = 8
	rateOver      = 3 * time.Second // period over which rates are averaged
)

// watchable returns an error unless --watch can draw on a terminal to which no program prints.
// prints is the destination of the program's output; nil if there is no program.
func watchable(cmd *cobra.Command, prints io.Writer) error {
	if console.TerminalOf(cmd.ErrOrStderr()) == nil {
		return cmdline.Usage(
			cmd,
			errors.New(
				"found --watch, but standard error is not a terminal that can be drawn on; expected "+
					"one (in scripts leave --watch out, or look on with fabricast view)",
			),
		)
	}
	if prints != nil && console.TerminalOf(prints) != nil {
		return cmdline.Usage(
			cmd,
			errors.New(
				"found --watch and a program that prints to the terminal, expected its output in a "+
					"file, as in > output.txt",
			),
		)
	}
	return nil
}

// watched returns a function that shows the progress of a run on a screen.
func watched(s *console.Screen) func(fabricast.Progress) {
	var told []fabricast.Progress
	blocks := console.Unicode()
	return func(p fabricast.Progress) {
		for len(told) > 1 && p.Elapsed-told[1].Elapsed >= rateOver {
			told = told[1:]
		}
		// another simulation has started, such as the one that determines the balanced time
		if len(told) > 0 && p.Elapsed < told[len(told)-1].Elapsed {
			told = told[:0]
		}
		last := fabricast.Progress{}
		if len(told) > 0 {
			last = told[0]
		}
		told = append(told, p)
		s.Draw(watchLines(last, p, blocks))
	}
}

// watchLines formats the progress p of a run. It computes rates from the earlier report last.
func watchLines(last, p fabricast.Progress, blocks bool) []string {
	passed := max((p.Elapsed - last.Elapsed).Seconds(), 1e-9)
	lines := []string{
		fmt.Sprintf(
			"simulated      %s, %s in a second",
			report.Time(p.Time), report.Time(int64(float64(p.Time-last.Time)/passed)),
		),
		fmt.Sprintf(
			"packet-hops    %s, %s/s",
			report.Count(p.PacketHops),
			report.Count(int64(float64(p.PacketHops-last.PacketHops)/passed)),
		),
	}
	if p.Ranks > 0 {
		lines = append(lines, fmt.Sprintf("ranks ended    %s of %s, %.0f %%",
			report.Count(p.Finished), report.Count(p.Ranks), 100*float64(p.Finished)/float64(p.Ranks)))
	}
	lines = append(
		lines,
		fmt.Sprintf(
			"running for    %s%s",
			report.Seconds(p.Elapsed.Round(100*time.Millisecond).Seconds()), console.Left(p),
		),
	)
	if len(p.Hottest) == 0 {
		return lines
	}
	lines = append(
		lines,
		fmt.Sprintf("hottest links  from %s to %s", report.Time(p.HotFrom), report.Time(p.HotTo)),
	)
	for _, l := range p.Hottest {
		lines = append(
			lines,
			fmt.Sprintf("  %5.1f %%  %s  %s", 100*l.Utilization, bar(l.Utilization, blocks), l.Link),
		)
	}
	return lines
}

// bar draws a fraction from 0 to 1 as a bar of twenty characters.
func bar(share float64, blocks bool) string {
	const width = 20
	full, empty := "#", "."
	if blocks {
		full, empty = "█", "░"
	}
	n := min(width, max(0, int(share*width+0.5)))
	return strings.Repeat(full, n) + strings.Repeat(empty, width-n)
}
