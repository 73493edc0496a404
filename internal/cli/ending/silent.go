package ending

import "time"

// silentError is an error that only the first of several processes reports.
type silentError struct{ err error }

func (e *silentError) Error() string { return e.err.Error() }
func (e *silentError) Unwrap() error { return e.err }

// Silent returns an error that only the first process reports. The other processes wait before they
// return it: when one process fails, Open MPI kills all of them, and the first process's message
// would be lost.
func Silent(err error, first bool) error {
	if err == nil || first {
		return err
	}
	time.Sleep(courtesy)
	return &silentError{err}
}

// courtesy is the time that processes other than the first wait before they fail with a common
// error, so that the first process can report it.
const courtesy = time.Second
