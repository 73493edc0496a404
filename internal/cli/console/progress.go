package console

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/internal/printable"
	"fabricast/report"
)

// ProgressInterval is the interval at which the progress line is updated.
const ProgressInterval = 500 * time.Millisecond

// eraseLine is the terminal sequence that erases the current line.
const eraseLine = "\r\x1b[K"

// ProgressLine is a line on the terminal that shows progress.
type ProgressLine struct {
	Name string // of what goes on, before each text; "": none

	terminal io.Writer
	shown    bool
}

// NewProgressLine returns a progress line; nil if w is not a terminal that can erase a line.
func NewProgressLine(w io.Writer) *ProgressLine {
	file := TerminalOf(w)
	if file == nil {
		return nil
	}
	return &ProgressLine{terminal: file}
}

// Show replaces the line by a text.
func (l *ProgressLine) Show(text string) {
	if l.Name != "" {
		text = l.Name + ": " + text
	}
	fmt.Fprint(l.terminal, eraseLine+printable.Text(text))
	l.shown = true
}

// Clear erases the line. l may be nil.
func (l *ProgressLine) Clear() {
	if l != nil && l.shown {
		fmt.Fprint(l.terminal, eraseLine)
	}
}

// OfRun returns a function that shows the progress of a run.
func (l *ProgressLine) OfRun() func(fabricast.Progress) {
	var last fabricast.Progress
	return func(p fabricast.Progress) {
		l.Show(describe(last, p))
		last = p
	}
}

// Run runs an experiment, and shows its progress if standard error is a terminal.
func Run(
	cmd *cobra.Command, e *fabricast.Experiment, options ...fabricast.Option,
) (*fabricast.Result, error) {
	return RunNamed(cmd, "", e, options...)
}

// RunNamed runs an experiment as Run, and shows its name with the progress.
func RunNamed(
	cmd *cobra.Command, name string, e *fabricast.Experiment, options ...fabricast.Option,
) (*fabricast.Result, error) {
	if line := NewProgressLine(cmd.ErrOrStderr()); line != nil {
		line.Name = name
		defer line.Clear()
		options = append(options, fabricast.OnProgress(ProgressInterval, line.OfRun()))
	}
	return e.Run(cmd.Context(), options...)
}

// describe formats the progress p of a run. last is the previous report.
func describe(last, p fabricast.Progress) string {
	text := report.Time(p.Time) + " simulated"
	if passed := (p.Elapsed - last.Elapsed).Seconds(); passed > 0 {
		text += fmt.Sprintf(", %s/s", report.Time(int64(float64(p.Time-last.Time)/passed)))
	}
	return text + Left(p)
}

// Left formats the completed fraction of the run and the remaining time; "" if unknown.
func Left(p fabricast.Progress) string {
	if p.Share == 0 {
		return ""
	}
	return fmt.Sprintf(", %.0f %% done, ", 100*p.Share) + Remaining(p.Left.Seconds())
}

// Remaining formats an estimate of the seconds that are left.
func Remaining(seconds float64) string {
	if seconds < 1 {
		return "less than a second left"
	}
	return "about " + report.Seconds(seconds) + " left"
}
