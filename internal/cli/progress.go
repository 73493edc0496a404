package cli

import (
	"fmt"
	"io"
	"time"

	"fabricast"
	"fabricast/internal/printable"
	"fabricast/report"
)

// progressInterval is how often the progress line is updated.
const progressInterval = 500 * time.Millisecond

// eraseLine is the terminal sequence that erases the current line.
const eraseLine = "\r\x1b[K"

// progressLine is a line on the terminal that shows how far the work has got.
type progressLine struct {
	terminal io.Writer
	shown    bool
}

// newProgressLine returns a progress line; nil if the writer is not a terminal that can erase a
// line.
func newProgressLine(w io.Writer) *progressLine {
	file := terminalOf(w)
	if file == nil {
		return nil
	}
	return &progressLine{terminal: file}
}

func (l *progressLine) show(text string) {
	fmt.Fprint(l.terminal, eraseLine+printable.Text(text))
	l.shown = true
}

// clear erases the line. l may be nil.
func (l *progressLine) clear() {
	if l != nil && l.shown {
		fmt.Fprint(l.terminal, eraseLine)
	}
}

// ofRun returns a function that shows the progress of a run.
func (l *progressLine) ofRun() func(fabricast.Progress) {
	var last fabricast.Progress
	return func(p fabricast.Progress) {
		l.show(describe(last, p))
		last = p
	}
}

// describe formats the progress p of a run; last is the previous report.
func describe(last, p fabricast.Progress) string {
	text := report.Time(p.Time) + " simulated"
	if passed := (p.Elapsed - last.Elapsed).Seconds(); passed > 0 {
		text += fmt.Sprintf(", %s/s", report.Time(int64(float64(p.Time-last.Time)/passed)))
	}
	return text + left(p)
}

// left formats the share of the run that is done and the remaining time; "" while unknown.
func left(p fabricast.Progress) string {
	if p.Share == 0 {
		return ""
	}
	return fmt.Sprintf(", %.0f %% done, about %s left", 100*p.Share, report.Seconds(p.Left.Seconds()))
}
