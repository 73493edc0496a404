package console

import (
	"fmt"
	"io"
	"time"
)

// logInterval is the minimum time between two lines of a progressLog.
const logInterval = time.Minute

// progressLog writes the progress of long work if there is no terminal, for example to a file: one
// line per minute.
type progressLog struct {
	w    io.Writer
	last time.Duration // time of the last line
}

func NewProgressLog(w io.Writer) *progressLog { return &progressLog{w: w} }

// Show writes a line if logInterval has passed since the last line or the start.
func (l *progressLog) Show(elapsed time.Duration, text string) {
	if elapsed-l.last >= logInterval {
		fmt.Fprintln(l.w, text)
		l.last = elapsed
	}
}
