package sweep

import (
	"fmt"
	"time"
)

// UnfinishedError reports that the other processes of a sweep ended before all points were done.
type UnfinishedError struct{ Done, Points int }

func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("%d of %d points are not done", e.Points-e.Done, e.Points)
}

// collect gathers the results of other processes until all points are done. active reports whether
// any other process may still run points.
func (r *runner) collect(active func(left int) (bool, error)) error {
	some := true
	for {
		if err := r.look(); err != nil {
			return err
		}
		r.renew()
		left := len(r.points) - r.progress.Done
		switch {
		case left == 0:
			return nil
		case !some: // the results of the last process have been read after its end
			return &UnfinishedError{r.progress.Done, len(r.points)}
		}
		var err error
		if some, err = active(left); err != nil {
			return err
		}
		select {
		case <-r.ctx.Done():
			return nil // Run reports the progress
		case <-time.After(lookInterval):
		}
	}
}
