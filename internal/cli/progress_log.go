package cli

import (
	"fmt"
	"io"
	"time"
)

// logInterval is how often a line of a progressLog is written at most.
const logInterval = time.Minute

// progressLog tells how far long work has got where there is no terminal, such as in a file: a line a minute.
type progressLog struct {
	w    io.Writer
	last time.Duration // when the last line was written
}

// show writes a line if the last one, or the beginning, is long enough ago.
func (l *progressLog) show(elapsed time.Duration, text string) {
	if elapsed-l.last >= logInterval {
		fmt.Fprintln(l.w, text)
		l.last = elapsed
	}
}
