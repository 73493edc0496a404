package ending

import "time"

// silentError is an error that the first process reports.
type silentError struct{ err error }

func (e *silentError) Error() string { return e.err.Error() }
func (e *silentError) Unwrap() error { return e.err }

// Silent returns an error that only the first process reports. The others wait before they return
// it: Open MPI ends all processes when one ends with an error, and what the first has to say would
// be lost.
func Silent(err error, first bool) error {
	if err == nil || first {
		return err
	}
	time.Sleep(courtesy)
	return &silentError{err}
}

// courtesy is how long processes but the first wait before they end with an error that all have:
// the first is about to report it.
const courtesy = time.Second
