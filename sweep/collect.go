package sweep

import (
	"fmt"
	"time"
)

// UnfinishedError reports that processes which were to run points of a sweep have ended before all
// were done.
type UnfinishedError struct{ Done, Points int }

func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("%d of %d points are not done", e.Points-e.Done, e.Points)
}

// collect takes over what other processes do, until all points are done. active reports whether
// there are any such processes.
func (r *runner) collect(active func(left int) (bool, error)) error {
	some := true
	for {
		if err := r.look(); err != nil {
			return err
		}
		left := len(r.points) - r.progress.Done
		switch {
		case left == 0:
			return nil
		case !some: // what the last one has done was seen after its end
			return &UnfinishedError{r.progress.Done, len(r.points)}
		}
		var err error
		if some, err = active(left); err != nil {
			return err
		}
		select {
		case <-r.ctx.Done():
			return nil // Run says how far it got
		case <-time.After(lookInterval):
		}
	}
}
