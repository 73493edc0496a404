package cli

import (
	"fmt"
	"io"
	"time"

	"fabricast"
	"fabricast/report"
)

// progressInterval is how often the progress line changes.
const progressInterval = 500 * time.Millisecond

// eraseLine is the terminal's sequence that empties the current line.
const eraseLine = "\r\x1b[K"

// progressLine is a line on the terminal that tells how far the work has got.
type progressLine struct {
	terminal io.Writer
	shown    bool
}

// newProgressLine returns nil if the writer is not a terminal that can erase a line.
func newProgressLine(w io.Writer) *progressLine {
	file := terminalOf(w)
	if file == nil {
		return nil
	}
	return &progressLine{terminal: file}
}

func (l *progressLine) show(text string) {
	fmt.Fprint(l.terminal, eraseLine+text)
	l.shown = true
}

// clear removes the line; it may be called on nil.
func (l *progressLine) clear() {
	if l != nil && l.shown {
		fmt.Fprint(l.terminal, eraseLine)
	}
}

// ofRun shows the progress of a run.
func (l *progressLine) ofRun() func(fabricast.Progress) {
	var last fabricast.Progress
	return func(p fabricast.Progress) {
		l.show(describe(last, p))
		last = p
	}
}

// describe words the progress since the last time.
func describe(last, p fabricast.Progress) string {
	share := float64(p.Finished) / float64(max(p.Ranks, 1))
	text := report.Time(p.Time) + " simulated"
	if passed := (p.Elapsed - last.Elapsed).Seconds(); passed > 0 {
		text += fmt.Sprintf(", %s/s", report.Time(int64(float64(p.Time-last.Time)/passed)))
	}
	if p.Ranks == 0 {
		return text
	}
	text += fmt.Sprintf(", %.0f %% of ranks done", 100*share)
	if share >= 0.01 {
		text += ", about " + report.Seconds(p.Elapsed.Seconds()*(1-share)/share) + " left"
	}
	return text
}
